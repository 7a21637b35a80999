from __future__ import annotations

import numpy as np
import pytest

from tracer.errors import ModelWeightsMissingError
from tracer.records import ModelSource
from variants.base import GATES, Gated, Helpers
from variants.gates.classifier import FolderClassifier
from variants.gates.entities import entity_edits
from variants.gates.formality import OurFormality
from variants.gates.politeness import OurPoliteness
from variants.gates.readability import reading_ease, syllables
from variants.gating import gates_of


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("cat", 1),
        ("make", 1),
        ("table", 2),
        ("invoice", 2),
        ("invoices", 3),
        ("asked", 1),
        ("wanted", 2),
        ("boxes", 2),
        ("email", 2),
        ("material", 4),
        ("radio", 3),
        ("the", 1),
        ("rhythm", 1),
        ("", 1),
    ],
)
def test_syllables_of_common_words(word, count):
    assert syllables(word) == count


def test_dense_prose_is_harder_than_short_words():
    easy = reading_ease("Send it to me now. I need it.")
    hard = reading_ease("Notification regarding organisational considerations necessitates review.")
    assert easy is not None
    assert hard is not None
    assert easy > 90
    assert hard < 0
    assert reading_ease("?!") is None


FORMAL = "I should be obliged if you would confirm the delivery date at your convenience."
CASUAL = "hey can u check when it's coming thx"


def test_our_scorers_tell_registers_apart():
    assert OurFormality().score(FORMAL) > 0.5 > OurFormality().score(CASUAL)
    assert OurPoliteness().score(FORMAL) > 0.5 > OurPoliteness().score("Check the date.")
    assert OurFormality().score("") == 0.5


@pytest.mark.parametrize("name", ["formality", "politeness"])
def test_our_own_scores_are_recorded_and_a_classifier_rejects(name):
    class Classifier:
        name = "theirs"

        def score(self, text: str) -> float:
            return 0.5

    gated = Gated("a", FORMAL, "less_formal", "llm")
    ours = GATES.get(name)(gated)
    assert not ours.filtered
    assert "(ours)" in ours.rater
    theirs = Gated(
        *("a", FORMAL, "less_formal", "llm"), helpers=Helpers(scorers={name: Classifier()})
    )
    verdict = GATES.get(name)(theirs)
    assert (verdict.passed, verdict.filtered, verdict.rater) == (False, True, "theirs")


class _Fixed:
    source = ModelSource("test", "built in")

    def __init__(self, name: str, cosine: float) -> None:
        self.name = name
        self._rows = np.array([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]], dtype=np.float64)

    def embed(self, texts):
        return self._rows


@pytest.mark.parametrize(
    ("name", "cosine", "passed", "filtered"),
    [
        ("mpnet", 0.71, True, True),
        ("mpnet", 0.69, False, True),
        ("minilm", 0.69, False, False),
    ],
)
def test_similarity_rejects_by_the_papers_model_only(name, cosine, passed, filtered):
    helpers = Helpers(embedder=_Fixed(name, cosine))
    assert "similarity" in gates_of("less_formal", helpers)
    assert "similarity" not in gates_of("formal", helpers)
    verdict = GATES.get("similarity")(Gated("a", "b", "less_formal", "llm", helpers=helpers))
    assert (verdict.passed, verdict.filtered, verdict.rater) == (passed, filtered, name)


def test_the_released_profile_asks_for_harder_texts():
    middling = "Please forward the final agenda to every member of the group."
    middle = reading_ease(middling)
    assert middle is not None
    assert 50 < middle < 60
    for profile, passed in (("ours", True), ("s2_released", False)):
        gated = Gated("a", middling, "less_readable", "llm", helpers=Helpers(profile=profile))
        assert GATES.get("readability")(gated).passed is passed


@pytest.mark.parametrize(
    ("literal", "text", "edits"),
    [("Kay", "ask Kay", 0), ("Ana Maria", "ask Ana Mraia.", 2), ("Kay", "ask somebody", 3)],
)
def test_edits_inside_a_name(literal, text, edits):
    assert entity_edits(literal, text) == edits


def test_a_classifier_without_its_folder_is_said_at_once(tmp_path):
    with pytest.raises(ModelWeightsMissingError, match="no weights in"):
        FolderClassifier(tmp_path / "none", ("formal",))
