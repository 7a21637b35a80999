"""The page as text: places, numbers, policy, and runs that have little to show."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.report import html, palette
from analyzers.report.anchors import Anchors, slug
from analyzers.report.excerpts import changed_words
from analyzers.report.html_heat import minus
from analyzers.report.numbers import change, level, probability
from analyzers.report.subject import Subject

SECTIONS = [
    "trust",
    "words",
    "stages",
    "effects",
    "groups",
    "items",
    "differently",
    "method",
]


def test_the_eight_sections_stand_in_order_and_all_links_lead_somewhere(usual, read):
    found = read(usual.page)
    sections = [values["id"] for tag, values in found.elements if tag == "section"]
    assert sections == SECTIONS
    assert len(found.ids) == len(set(found.ids))
    assert found.targets <= set(found.ids)


def test_every_number_of_heat_map_and_effect_table_is_that_of_the_json(usual, read):
    rows = read(usual.page).rows
    (block,) = usual.document["blocks"]
    anchors = Anchors(0)
    shown = set(usual.materials[0].report.metrics)
    checked = 0
    for effect in block["effects"]:
        if effect["metric"] not in shown:
            continue
        cells = rows[anchors.cell(effect["condition"], effect["metric"])]
        unit = usual.document["metrics"][effect["metric"]]["unit"]
        for cell, key in zip(
            cells[2:7], ("base", "variant", "difference", "low", "high"), strict=True
        ):
            value = effect[key]
            assert cell[0] == ("" if value is None else repr(value))
        assert cells[2][1] == level(effect["base"], unit)
        assert cells[4][1] == minus(change(effect["difference"], unit))
        assert [cell[1] for cell in cells[8:11]] == [
            probability(effect[key]) for key in ("p", "holm", "bh")
        ]
        assert cells[15][1] == str(effect["n"])
        checked += 1
    assert checked > 50
    overview = [column.name for column in usual.materials[0].report.grids[0].columns if column.name]
    effects = {(e["metric"], e["condition"]): e for e in block["effects"]}
    for condition in block["conditions"]:
        cells = rows[anchors.condition(condition)][2:]
        for name, (value, text) in zip(overview, cells, strict=True):
            effect = effects[name, condition]
            difference = effect["difference"]
            assert value == ("" if difference is None else str(difference))
            if difference is not None:
                assert text == minus(change(difference)) + effect["mark"]


def test_nothing_is_styled_or_scripted_in_attributes_and_no_address_is_named(usual, read):
    found = read(usual.page)
    for _, values in found.elements:
        assert "style" not in values
        assert not any(name.startswith("on") for name in values)
        assert not any("http" in value for name, value in values.items() if name != "http-equiv")


def test_the_policy_names_the_digests_of_the_only_style_and_script(usual):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', usual.page)
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", usual.page, flags=re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy
    assert "default-src &#39;none&#39;" in policy


def test_the_templates_mark_nothing_as_safe():
    for path in html.TEMPLATES.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", "")
        assert "autoescape" not in text


def test_two_writes_of_one_run_are_the_same_bytes(usual, make):
    again = make(usual.traces, failed=usual.materials[0].failed, breakdown_by="kind")
    assert again.page == usual.page


def test_without_matplotlib_the_page_says_what_is_missing(make, office):
    page = make(office(6), plots=False).page
    assert "plots left out: pip install &#39;stagetrace[report]&#39;" in page
    assert "<svg" not in page
    assert 'class="heat sort"' in page


def nothing(office):
    return []


def one_condition(office):
    return office(8, conditions=("base",))


def only_another_condition(office):
    return office(8, conditions=("formal",))


def one_item(office):
    return office(1)


def all_none(office):
    return [
        replace(trace, outcome=replace(trace.outcome, grader_error="broke")) for trace in office(5)
    ]


def ungraded(office):
    return [replace(trace, outcome=None) for trace in office(5)]


@pytest.mark.parametrize(
    "traces", [nothing, one_condition, only_another_condition, one_item, all_none, ungraded]
)
@pytest.mark.parametrize(
    "failed", [frozenset(), frozenset({("office-t000", "base"), ("gone", "indirect")})]
)
def test_a_run_with_little_to_show_is_a_page(make, office, read, traces, failed):
    found = read(make(traces(office), failed=failed).page)
    assert [values["id"] for tag, values in found.elements if tag == "section"] == SECTIONS
    assert found.targets <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))


def test_traces_that_nobody_graded_show_dashes_with_reasons_and_no_zero(make, office, read):
    made = make(ungraded(office), subject=Subject("", runs=("traces.jsonl",)))
    page, found = made.page, read(made.page)
    assert "not graded: no gold for these traces" in page
    (block,) = made.document["blocks"]
    unknown = [effect for effect in block["effects"] if effect["difference"] is None]
    assert {"success", "required_call_recall", "unwanted_side_effects"} <= {
        effect["metric"] for effect in unknown
    }
    for effect in unknown:
        cells = found.rows.get(Anchors(0).cell(effect["condition"], effect["metric"]))
        if cells is not None:
            assert {text for _, text in cells[2:7]} == {"\u2013"}
            assert {value for value, _ in cells[2:7]} == {""}
            assert cells[-1][1].strip()  # the letter of the footnote that tells why
    tokens = found.rows[Anchors(0).cell("formal", "input_tokens")]
    assert tokens[2][1] == "10.0"  # what was recorded is shown


def test_the_omission_line_adds_up(make, office):
    made = make(office(60), megabytes=0.2)
    (line,) = set(re.findall(r"(\d+) of (\d+) differing pairs shown", made.page))
    assert int(line[0]) == made.page.count('<details class="pair">')
    assert 0 < int(line[0]) < int(line[1])
    assert len(made.page.encode()) <= 200_000


def test_two_blocks_share_no_anchor(make, office, answering, read):
    questions = [
        answering(f"q{number}", condition, found=number % 3 > 0, right=number % 2 > 0)
        for number in range(8)
        for condition in ("base", "formal")
    ]
    found = read(make([*office(8), *questions], subject=Subject("", runs=("runs/both",))).page)
    assert len(found.ids) == len(set(found.ids))
    assert found.targets <= set(found.ids)
    assert "b2-c-formal" in found.ids


def test_two_ids_never_share_an_anchor():
    names = ["a/b", "a-b", "A-B", "a b", "a\x00b", "\ud800", "é", "", "-", "a" * 300, "a" * 301]
    assert len({slug(name) for name in names}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug(name)) for name in names)


def test_texts_are_put_together_again_by_their_pieces():
    base, variant = "Move the mail, please.", "Would you move that mail?"
    before, after = changed_words(base, variant)
    assert "".join(text for _, text in before) == base
    assert "".join(text for _, text in after) == variant


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_every_colour_can_be_read_on_its_ground(scheme):
    paper = palette.TOKENS["paper"][scheme]
    for name in ("ink", "muted", "loss", "gain", "none"):
        assert contrast(palette.TOKENS[name][scheme], paper) >= 4.5
    for _, *schemes in palette.HEAT:
        worse, better, text = schemes[scheme]
        assert contrast(worse, text) >= 4.5
        assert contrast(better, text) >= 4.5


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path):
    from stagetrace.report_page import report_folder
    from tracer.errors import InputError

    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "report").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        report_folder([tmp_path], None)


def test_a_link_in_place_of_the_page_is_replaced(tmp_path):
    from stagetrace.report_page import write_page

    other = tmp_path / "other.txt"
    other.write_text("keep")
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "index.html").symlink_to(other)
    path = write_page(folder, "<p>")
    assert Path(other).read_text() == "keep"
    assert not path.is_symlink()
