"""Singapore English: the features that eWAVE attests for Colloquial Singapore English."""

from __future__ import annotations

from variants.features import DIALECTS, Dialect
from variants.rules.articles import ZERO_A, ZERO_THE
from variants.rules.clauses import (
    CHAINED_VERBS,
    DOUBLE_CORRELATIVE,
    FOCUS_LIKE,
    GOT_EXISTENTIAL,
    OMITTED_PREPOSITION,
    ONE_RELATIVE,
)
from variants.rules.nouns import BARE_PLURAL_PEOPLE, BARE_PLURAL_THINGS, UNVOICED_PLURAL
from variants.rules.pronouns import (
    DUMMY_DROP,
    DUMMY_IT_IS_DROP,
    IT_IS_DROP,
    NEUTRAL_REFLEXIVE,
    OBJECT_DROP,
    SUBJECT_DROP,
    YOU_IMPERATIVE,
)
from variants.rules.questions import (
    CAN_OR_NOT,
    INVERTED_INDIRECT,
    IS_IT_TAG,
    UNINVERTED_WH,
    UNINVERTED_YES_NO,
)
from variants.rules.tense import (
    ALREADY,
    BARE_IRREGULAR_PAST,
    BARE_REGULAR_PAST,
    EVER,
    GO_FUTURE,
    LOOSE_TENSES,
    NEVER,
)
from variants.rules.verbs_left_out import (
    ZERO_BE_PROGRESSIVE,
    ZERO_COPULA_ADJECTIVE,
    ZERO_COPULA_NOUN,
    ZERO_COPULA_PLACE,
    ZERO_HAVE,
)

SINGAPORE = DIALECTS.add("singapore")(
    Dialect(
        "singapore",
        "Colloquial Singapore English",
        (
            # Rated A.
            ZERO_THE,
            ZERO_A,
            SUBJECT_DROP,
            DUMMY_DROP,
            OBJECT_DROP,
            UNINVERTED_YES_NO,
            UNINVERTED_WH,
            INVERTED_INDIRECT,
            CAN_OR_NOT,
            ZERO_COPULA_ADJECTIVE,
            ZERO_COPULA_NOUN,
            ZERO_COPULA_PLACE,
            ZERO_HAVE,
            ZERO_BE_PROGRESSIVE,
            EVER,
            GO_FUTURE,
            YOU_IMPERATIVE,
            IS_IT_TAG,
            BARE_PLURAL_PEOPLE,
            BARE_PLURAL_THINGS,
            GOT_EXISTENTIAL,
            LOOSE_TENSES,
            ONE_RELATIVE,
            ALREADY,
            BARE_REGULAR_PAST,
            CHAINED_VERBS,
            NEUTRAL_REFLEXIVE,
            OMITTED_PREPOSITION,
            UNVOICED_PLURAL,
            # Rated B.
            FOCUS_LIKE,
            DUMMY_IT_IS_DROP,
            IT_IS_DROP,
            DOUBLE_CORRELATIVE,
            NEVER,
            BARE_IRREGULAR_PAST,
        ),
    )
)
