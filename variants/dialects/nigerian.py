"""Nigerian English: the features that eWAVE attests for it."""

from __future__ import annotations

from variants.features import DIALECTS, Dialect
from variants.rules.articles import (
    ZERO_THE,
)
from variants.rules.clauses import (
    DOUBLE_CORRELATIVE,
    OMITTED_PREPOSITION,
)
from variants.rules.complements import (
    BARE_INFINITIVE,
    EXTRA_IT,
    EXTRA_TO_MODALS,
)
from variants.rules.degree import (
    DOUBLE_COMPARATIVE,
    FLAT_ADVERB,
    TOO_FOR_VERY,
)
from variants.rules.determiners import (
    DOUBLE_DETERMINER,
)
from variants.rules.linking import (
    POSTPOSED_RELATOR,
    THAN_WHAT,
    THAT_AFTER_COMMA,
    TWO_CONJUNCTIONS,
)
from variants.rules.modals import (
    COMING_TO,
)
from variants.rules.nouns import (
    UNVOICED_PLURAL,
)
from variants.rules.number import (
    COUNTED_MASS,
    REGULAR_PLURAL,
)
from variants.rules.perfects import (
    ALREADY_BEFORE,
    PAST_FOR_PERFECT,
    PRESENT_FOR_PERFECT,
)
from variants.rules.progressives import (
    HABITUAL_PROGRESSIVE,
    STATIVE_PROGRESSIVE,
)
from variants.rules.pronoun_forms import (
    ME_FIRST,
    MYSELF_LAST,
    RESUMPTIVE,
    YOU_PEOPLE,
)
from variants.rules.pronouns import (
    NEUTRAL_REFLEXIVE,
)
from variants.rules.questions import (
    INVERTED_INDIRECT,
)
from variants.rules.verb_forms import (
    GOTTEN,
    INVARIANT_DONT,
    NO_THIRD_PERSON,
    PAST_FOR_PARTICIPLE,
    REGULARISED_PAST,
)
from variants.rules.verbs_left_out import (
    ZERO_BE_PROGRESSIVE,
)

NIGERIAN = DIALECTS.add("nigerian")(
    Dialect(
        "nigerian",
        "Nigerian English",
        (
            # Rated A.
            ZERO_THE,
            COUNTED_MASS,
            DOUBLE_DETERMINER,
            ME_FIRST,
            MYSELF_LAST,
            GOTTEN,
            THAN_WHAT,
            BARE_INFINITIVE,
            EXTRA_TO_MODALS,
            POSTPOSED_RELATOR,
            FLAT_ADVERB,
            TOO_FOR_VERY,
            COMING_TO,
            ZERO_BE_PROGRESSIVE,
            # Rated B.
            INVERTED_INDIRECT,
            STATIVE_PROGRESSIVE,
            HABITUAL_PROGRESSIVE,
            PRESENT_FOR_PERFECT,
            ALREADY_BEFORE,
            REGULARISED_PAST,
            PAST_FOR_PARTICIPLE,
            YOU_PEOPLE,
            TWO_CONJUNCTIONS,
            OMITTED_PREPOSITION,
            THAT_AFTER_COMMA,
            UNVOICED_PLURAL,
            REGULAR_PLURAL,
            # Rated C.
            EXTRA_IT,
            PAST_FOR_PERFECT,
            INVARIANT_DONT,
            NO_THIRD_PERSON,
            RESUMPTIVE,
            DOUBLE_COMPARATIVE,
            NEUTRAL_REFLEXIVE,
            DOUBLE_CORRELATIVE,
        ),
    )
)
