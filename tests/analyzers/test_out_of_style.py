"""The numbers that Out of Style prints, through our relative change and our averages."""

from __future__ import annotations

import pytest

from analyzers.statistics.relative import relative_drop

KS = (5, 10, 20, 100)
DATASETS = ("PopQA", "EntityQuestions", "MS MARCO", "Natural Questions")
KINDS = ("Readability", "RTT", "Typos", "Formality", "Politeness")

CONTRIEVER = {
    ("EntityQuestions", "RTT"): (
        (0.6838, 0.7332, 0.7710, 0.8422),
        (0.5842, 0.6428, 0.6926, 0.7896),
    ),
    ("EntityQuestions", "Typos"): (
        (0.6838, 0.7332, 0.7710, 0.8422),
        (0.5826, 0.6452, 0.6964, 0.7836),
    ),
    ("EntityQuestions", "Formality"): (
        (0.6846, 0.7292, 0.7616, 0.8240),
        (0.6113, 0.6626, 0.7025, 0.7815),
    ),
    ("EntityQuestions", "Politeness"): (
        (0.6744, 0.7218, 0.7594, 0.8310),
        (0.6629, 0.7090, 0.7507, 0.8253),
    ),
    ("EntityQuestions", "Readability"): (
        (0.6434, 0.6994, 0.7452, 0.8354),
        (0.5887, 0.6471, 0.6979, 0.7935),
    ),
    ("MS MARCO", "RTT"): ((0.3412, 0.4068, 0.4694, 0.6102), (0.3100, 0.3662, 0.4328, 0.5754)),
    ("MS MARCO", "Typos"): ((0.3412, 0.4068, 0.4694, 0.6102), (0.2882, 0.3460, 0.4052, 0.5440)),
    ("MS MARCO", "Formality"): ((0.2534, 0.3252, 0.4048, 0.5598), (0.1502, 0.2020, 0.2722, 0.4365)),
    ("MS MARCO", "Politeness"): (
        (0.2620, 0.3414, 0.4152, 0.5664),
        (0.2189, 0.2933, 0.3764, 0.5448),
    ),
    ("MS MARCO", "Readability"): (
        (0.2512, 0.3280, 0.4072, 0.5718),
        (0.1982, 0.2716, 0.3467, 0.5235),
    ),
    ("Natural Questions", "RTT"): (
        (0.6246, 0.7118, 0.7834, 0.8822),
        (0.4778, 0.5718, 0.6506, 0.7898),
    ),
    ("Natural Questions", "Typos"): (
        (0.6246, 0.7118, 0.7834, 0.8822),
        (0.4320, 0.5230, 0.6180, 0.7730),
    ),
    ("Natural Questions", "Formality"): (
        (0.6472, 0.7372, 0.7954, 0.8868),
        (0.5479, 0.6440, 0.7215, 0.8456),
    ),
    ("Natural Questions", "Politeness"): (
        (0.6012, 0.6946, 0.7588, 0.8488),
        (0.5942, 0.6832, 0.7516, 0.8443),
    ),
    ("Natural Questions", "Readability"): (
        (0.5978, 0.6882, 0.7582, 0.8536),
        (0.5519, 0.6481, 0.7253, 0.8346),
    ),
    ("PopQA", "RTT"): ((0.5938, 0.6614, 0.7148, 0.8192), (0.4216, 0.4854, 0.5422, 0.6654)),
    ("PopQA", "Typos"): ((0.5938, 0.6614, 0.7148, 0.8192), (0.4288, 0.4890, 0.5482, 0.6724)),
    ("PopQA", "Formality"): ((0.6974, 0.7574, 0.8066, 0.8760), (0.5582, 0.6269, 0.6800, 0.7856)),
    ("PopQA", "Politeness"): ((0.6220, 0.6942, 0.7576, 0.8534), (0.5704, 0.6426, 0.7045, 0.8081)),
    ("PopQA", "Readability"): ((0.6108, 0.6856, 0.7368, 0.8344), (0.4981, 0.5635, 0.6192, 0.7332)),
}
"""Tables 8 and 9: R@k of original and of rewritten queries."""
MODERNBERT = {
    ("EntityQuestions", "RTT"): (
        (0.6614, 0.7184, 0.7598, 0.8284),
        (0.5632, 0.6260, 0.6784, 0.7800),
    ),
    ("EntityQuestions", "Typos"): (
        (0.6614, 0.7184, 0.7598, 0.8284),
        (0.5886, 0.6518, 0.7038, 0.7918),
    ),
    ("EntityQuestions", "Formality"): (
        (0.6798, 0.7240, 0.7558, 0.8150),
        (0.6251, 0.6739, 0.7156, 0.7949),
    ),
    ("EntityQuestions", "Politeness"): (
        (0.6730, 0.7214, 0.7594, 0.8276),
        (0.6502, 0.7002, 0.7436, 0.8199),
    ),
    ("EntityQuestions", "Readability"): (
        (0.6132, 0.6758, 0.7254, 0.8108),
        (0.5325, 0.5992, 0.6607, 0.7729),
    ),
    ("MS MARCO", "RTT"): ((0.3204, 0.3916, 0.4574, 0.5680), (0.2642, 0.3340, 0.3908, 0.5146)),
    ("MS MARCO", "Typos"): ((0.3204, 0.3916, 0.4574, 0.5680), (0.2810, 0.3540, 0.4188, 0.5396)),
    ("MS MARCO", "Readability"): (
        (0.3982, 0.4818, 0.5604, 0.6746),
        (0.3401, 0.4291, 0.5119, 0.6461),
    ),
    ("MS MARCO", "Formality"): ((0.4074, 0.4896, 0.5644, 0.6720), (0.3441, 0.4311, 0.5113, 0.6479)),
    ("MS MARCO", "Politeness"): (
        (0.4030, 0.4840, 0.5552, 0.6638),
        (0.3821, 0.4637, 0.5385, 0.6579),
    ),
    ("Natural Questions", "RTT"): (
        (0.6690, 0.7556, 0.8110, 0.8878),
        (0.5470, 0.6416, 0.7192, 0.8328),
    ),
    ("Natural Questions", "Typos"): (
        (0.6690, 0.7556, 0.8110, 0.8878),
        (0.5790, 0.6838, 0.7512, 0.8502),
    ),
    ("Natural Questions", "Readability"): (
        (0.6512, 0.7300, 0.7872, 0.8614),
        (0.5855, 0.6741, 0.7435, 0.8393),
    ),
    ("Natural Questions", "Formality"): (
        (0.6874, 0.7700, 0.8246, 0.8944),
        (0.6220, 0.7177, 0.7890, 0.8762),
    ),
    ("Natural Questions", "Politeness"): (
        (0.6538, 0.7326, 0.7860, 0.8600),
        (0.6213, 0.7054, 0.7701, 0.8539),
    ),
    ("PopQA", "RTT"): ((0.6280, 0.6952, 0.7508, 0.8344), (0.4416, 0.5090, 0.5668, 0.6856)),
    ("PopQA", "Typos"): ((0.6280, 0.6952, 0.7508, 0.8344), (0.4868, 0.5646, 0.6242, 0.7406)),
    ("PopQA", "Readability"): ((0.6518, 0.7168, 0.7682, 0.8432), (0.5363, 0.6148, 0.6751, 0.7796)),
    ("PopQA", "Formality"): ((0.7408, 0.7922, 0.8316, 0.8832), (0.6395, 0.7109, 0.7649, 0.8493)),
    ("PopQA", "Politeness"): ((0.6744, 0.7418, 0.7962, 0.8688), (0.6023, 0.6776, 0.7334, 0.8317)),
}
"""Tables 10 and 11."""
BOTH = {"Contriever": CONTRIEVER, "ModernBERT": MODERNBERT}
TABLE_2 = {
    ("Contriever", "Readability"): (18.45, 8.61, 21.10, 7.69),
    ("ModernBERT", "Readability"): (17.73, 13.17, 14.58, 10.08),
    ("Contriever", "RTT"): (29.00, 14.57, 9.14, 23.50),
    ("ModernBERT", "RTT"): (29.68, 14.85, 17.54, 18.24),
    ("Contriever", "Typos"): (27.79, 14.80, 15.53, 30.83),
    ("ModernBERT", "Typos"): (22.48, 11.01, 12.30, 13.45),
    ("Contriever", "Formality"): (19.96, 10.71, 40.41, 15.35),
    ("ModernBERT", "Formality"): (13.67, 8.05, 15.55, 9.51),
    ("Contriever", "Politeness"): (8.30, 1.70, 16.44, 1.16),
    ("ModernBERT", "Politeness"): (10.70, 3.39, 5.18, 4.97),
}
"""Table 2: relative drop of R@5 in percent, by the datasets above."""
MISPRINTS = {
    ("Contriever", "Formality", "MS MARCO"): (40.41, 40.73),
    ("Contriever", "Readability", "EntityQuestions"): (8.61, 8.50),
}
"""Printed, and what its own tables give."""
CELLS = [(retriever, kind, dataset) for retriever in BOTH for kind in KINDS for dataset in DATASETS]


def drop(retriever: str, kind: str, dataset: str, k: int = 5) -> float:
    original, rewritten = BOTH[retriever][dataset, kind]
    place = KS.index(k)
    found = relative_drop(original[place], rewritten[place])
    assert found is not None
    return found


def printed(retriever: str, kind: str, dataset: str) -> float:
    return TABLE_2[retriever, kind][DATASETS.index(dataset)]


def test_38_of_40_cells_of_table_2_agree_with_its_own_tables():
    apart = {cell for cell in CELLS if abs(drop(*cell) - printed(*cell)) > 0.02}
    assert len(CELLS) == 40
    assert apart == set(MISPRINTS)


@pytest.mark.parametrize("cell", MISPRINTS, ids=" ".join)
def test_the_two_misprints_are_misprints(cell):
    wrong, right = MISPRINTS[cell]
    assert printed(*cell) == wrong
    assert drop(*cell) == pytest.approx(right, abs=0.01)
    assert abs(drop(*cell) - wrong) > 0.02


def mean(values):
    found = list(values)
    return sum(found) / len(found)


@pytest.mark.parametrize(("retriever", "average"), [("Contriever", 16.7), ("ModernBERT", 13.3)])
def test_the_average_over_all_modifications_is_that_of_the_text(retriever, average):
    """Section 5.1; the first one is cut there, not rounded."""
    own = mean(printed(retriever, kind, dataset) for kind in KINDS for dataset in DATASETS)
    assert own == pytest.approx(average, abs=0.06)
    ours = mean(drop(retriever, kind, dataset) for kind in KINDS for dataset in DATASETS)
    assert ours == pytest.approx(own, abs=0.02)


@pytest.mark.parametrize(("dataset", "average"), [("PopQA", 19.78), ("MS MARCO", 16.78)])
def test_the_average_of_a_dataset_is_that_of_the_text(dataset, average):
    own = mean(printed(retriever, kind, dataset) for retriever in BOTH for kind in KINDS)
    assert own == pytest.approx(average, abs=0.02)


@pytest.mark.parametrize("retriever", BOTH)
def test_every_rewriting_lowers_recall_at_every_k(retriever):
    for kind in KINDS:
        for dataset in DATASETS:
            assert all(drop(retriever, kind, dataset, k) > 0 for k in KS)


@pytest.mark.parametrize("retriever", BOTH)
def test_recall_grows_with_k_in_every_row(retriever):
    for original, rewritten in BOTH[retriever].values():
        assert list(original) == sorted(original)
        assert list(rewritten) == sorted(rewritten)


def test_a_gain_is_negative_and_not_a_drop():
    """Table 13, Contriever, formality, PopQA, gemma-2-27b-it: printed without its sign."""
    assert relative_drop(0.0044, 0.0122) == pytest.approx(-177.27, abs=0.01)
