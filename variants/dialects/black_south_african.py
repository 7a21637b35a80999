"""Black South African English: the features that eWAVE attests for it."""

from __future__ import annotations

from variants.features import DIALECTS, Dialect
from variants.rules.articles import (
    ZERO_THE,
)
from variants.rules.clauses import (
    DOUBLE_CORRELATIVE,
)
from variants.rules.complements import (
    EXTRA_IT,
    EXTRA_TO_MODALS,
    NEGATIVE_CONCORD,
)
from variants.rules.degree import (
    ANALYTIC_COMPARISON,
    FLAT_ADVERB,
    TOO_FOR_VERY,
    UNMARKED_DEGREE,
)
from variants.rules.determiners import (
    A_FOR_ZERO,
    DEFINITE_FOR_INDEFINITE,
    DOUBLE_DETERMINER,
)
from variants.rules.linking import (
    THAT_AFTER_COMMA,
    TWO_CONJUNCTIONS,
    WIDER_FRONTING,
)
from variants.rules.modals import (
    MUST_AND_MAY,
    PRESENT_MODAL,
)
from variants.rules.number import (
    COUNTED_MASS,
    DEMONSTRATIVE,
    REGULAR_PLURAL,
)
from variants.rules.perfects import (
    PAST_FOR_PERFECT,
    PERFECT_FOR_PAST,
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
    ISNT_IT_TAG,
    UNINVERTED_WH,
)
from variants.rules.tense import (
    LOOSE_TENSES,
    NEVER,
)
from variants.rules.verb_forms import (
    SINGULAR_THERE,
    WAS_CONDITIONAL,
)
from variants.rules.verbs_left_out import (
    ZERO_BE_PROGRESSIVE,
)

BLACK_SOUTH_AFRICAN = DIALECTS.add("black_south_african")(
    Dialect(
        "black_south_african",
        "Black South African English",
        (
            # Rated A.
            STATIVE_PROGRESSIVE,
            HABITUAL_PROGRESSIVE,
            MUST_AND_MAY,
            RESUMPTIVE,
            EXTRA_TO_MODALS,
            SINGULAR_THERE,
            ME_FIRST,
            DOUBLE_CORRELATIVE,
            COUNTED_MASS,
            INVERTED_INDIRECT,
            WIDER_FRONTING,
            EXTRA_IT,
            UNMARKED_DEGREE,
            # Rated B.
            PAST_FOR_PERFECT,
            TOO_FOR_VERY,
            DOUBLE_DETERMINER,
            ZERO_BE_PROGRESSIVE,
            ISNT_IT_TAG,
            NEUTRAL_REFLEXIVE,
            MYSELF_LAST,
            LOOSE_TENSES,
            DEMONSTRATIVE,
            ANALYTIC_COMPARISON,
            PRESENT_MODAL,
            WAS_CONDITIONAL,
            YOU_PEOPLE,
            DEFINITE_FOR_INDEFINITE,
            A_FOR_ZERO,
            NEGATIVE_CONCORD,
            TWO_CONJUNCTIONS,
            FLAT_ADVERB,
            REGULAR_PLURAL,
            # Rated C.
            NEVER,
            THAT_AFTER_COMMA,
            PERFECT_FOR_PAST,
            UNINVERTED_WH,
            ZERO_THE,
        ),
    )
)
