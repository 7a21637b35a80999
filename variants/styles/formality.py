"""Axis formality: both poles are contrastive; `less_formal` is the second paper's milder form."""

from __future__ import annotations

from variants.base import POLES, Pole

FORMAL = POLES.add("formal")(
    Pole(
        "formality",
        "formal",
        contrastive=True,
        instruction=(
            "Write as a courteous office would: whole sentences, no contraction, every detail kept."
        ),
        framings=(
            "a courteous request",
            "asking to confirm",
            "asking to verify",
            "asking for clarification",
            "an instruction in the passive",
            "for the record",
            "with reference to the matter",
            "thanks offered in advance",
            "asking leave",
            "a written instruction",
        ),
    )
)
CASUAL = POLES.add("casual")(
    Pole(
        "formality",
        "casual",
        contrastive=True,
        instruction=(
            "Write a chat line: lower case, an informal word or two, dropped subjects. Identifiers "
            "stay as they are; attribution that nothing hangs on may go."
        ),
        framings=(
            "a quick ping",
            "in a rush",
            "among friends",
            "a lazy one-liner",
            "half a sentence",
            "an afterthought",
            "banter",
            "as if spoken into the phone",
        ),
    )
)
LESS_FORMAL = POLES.add("less_formal")(
    Pole(
        "formality",
        "less_formal",
        contrastive=True,
        instruction="Lower the register below that of a business mail; keep the content.",
    )
)
