"""Indian English: the features that eWAVE attests for it."""

from __future__ import annotations

from variants.features import DIALECTS, Dialect
from variants.rules.articles import (
    ZERO_A,
    ZERO_THE,
)
from variants.rules.clauses import (
    DOUBLE_CORRELATIVE,
)
from variants.rules.complements import (
    EXTRA_IT,
    EXTRA_TO,
    THAT_CLAUSE,
)
from variants.rules.degree import (
    ANALYTIC_COMPARISON,
    TOO_FOR_VERY,
)
from variants.rules.determiners import (
    DEFINITE_FOR_INDEFINITE,
    DOUBLE_DETERMINER,
    THE_FOR_ZERO,
)
from variants.rules.linking import (
    CHOPPED_PREPOSITION,
    TWO_CONJUNCTIONS,
    WIDER_FRONTING,
)
from variants.rules.modals import (
    MUST_AND_MAY,
    PRESENT_MODAL,
    WOULD_FOR_WILL,
)
from variants.rules.nouns import (
    UNVOICED_PLURAL,
)
from variants.rules.number import (
    COUNTED_MASS,
    DEMONSTRATIVE,
    PLURAL_AT_THE_END,
    REGULAR_PLURAL,
    SINGULAR_AFTER_QUANTIFIER,
)
from variants.rules.perfects import (
    PERFECT_FOR_PAST,
)
from variants.rules.progressives import (
    HABITUAL_PROGRESSIVE,
    STATIVE_PROGRESSIVE,
)
from variants.rules.pronoun_forms import (
    QUESTION_WORD_ALL,
    RESUMPTIVE,
)
from variants.rules.pronouns import (
    DUMMY_DROP,
    DUMMY_IT_IS_DROP,
    IT_IS_DROP,
    NEUTRAL_REFLEXIVE,
    OBJECT_DROP,
    SUBJECT_DROP,
)
from variants.rules.questions import (
    INVERTED_INDIRECT,
    ISNT_IT_TAG,
    UNINVERTED_WH,
    UNINVERTED_YES_NO,
)
from variants.rules.tense import (
    LOOSE_TENSES,
)
from variants.rules.verb_forms import (
    SINGULAR_THERE,
    WAS_CONDITIONAL,
)
from variants.rules.verbs_left_out import (
    ZERO_BE_PROGRESSIVE,
)

INDIAN = DIALECTS.add("indian")(
    Dialect(
        "indian",
        "Indian English",
        (
            # Rated A.
            ZERO_THE,
            STATIVE_PROGRESSIVE,
            INVERTED_INDIRECT,
            UNINVERTED_WH,
            UNINVERTED_YES_NO,
            COUNTED_MASS,
            THE_FOR_ZERO,
            DOUBLE_DETERMINER,
            ZERO_A,
            EXTRA_IT,
            OBJECT_DROP,
            SUBJECT_DROP,
            DUMMY_DROP,
            WIDER_FRONTING,
            CHOPPED_PREPOSITION,
            HABITUAL_PROGRESSIVE,
            ISNT_IT_TAG,
            LOOSE_TENSES,
            PERFECT_FOR_PAST,
            WOULD_FOR_WILL,
            RESUMPTIVE,
            TOO_FOR_VERY,
            DEFINITE_FOR_INDEFINITE,
            PLURAL_AT_THE_END,
            UNVOICED_PLURAL,
            REGULAR_PLURAL,
            QUESTION_WORD_ALL,
            WAS_CONDITIONAL,
            # Rated B.
            SINGULAR_AFTER_QUANTIFIER,
            DEMONSTRATIVE,
            ZERO_BE_PROGRESSIVE,
            DUMMY_IT_IS_DROP,
            IT_IS_DROP,
            NEUTRAL_REFLEXIVE,
            EXTRA_TO,
            TWO_CONJUNCTIONS,
            DOUBLE_CORRELATIVE,
            MUST_AND_MAY,
            SINGULAR_THERE,
            THAT_CLAUSE,
            ANALYTIC_COMPARISON,
            # Rated C.
            PRESENT_MODAL,
        ),
    )
)
