"""The page in headless Chromium: what a person sees, prints and presses."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "device_scale_factor": 2}
HOSTILE = (
    "<script>window.pwned=1;document.title='x'</script>",
    "<img src=x onerror=window.pwned=1>",
    "</style><script>window.pwned=1</script>",
    "]]><svg onload=window.pwned=1>",
    "javascript:window.pwned=1",
    "\x1b[31mred\x07\x9b",
    "\u202eesrever\u2066",
    "\ud800\udfff"[:1] + "lone",
    "nul\x00here",
    "{{7*7}} {% raw %} ${7*7} $x$",
    "quote\"'`/../..\\&amp;&#x3c;",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "\ufffe\uffff",
)
CONTRAST = """() => {
  const light = (text) => {
    const parts = text.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const style = getComputedStyle(document.body);
  const [low, high] = [light(style.color), light(style.backgroundColor)].sort((a, b) => a - b);
  return [(high + 0.05) / (low + 0.05), light(style.backgroundColor)];
}"""


def hostile_traces(acting):
    traces = []
    for number, text in enumerate(HOSTILE):
        for condition in ("base", "formal", HOSTILE[number]):
            made = ["read", "write"] if condition == "base" else ["read", "wrong"]
            trace = acting(text, condition, made, text=f"{text} {condition}")
            calls = tuple(
                replace(
                    call,
                    name=text,
                    arguments={text: text, "big": "A" * 5_000_000 if number == 0 else "a"},
                    result=text,
                    span_id=text,
                    error=text if place else None,
                )
                for place, call in enumerate(trace.calls)
            )
            traces.append(
                replace(
                    trace,
                    trace_id=text + condition,
                    answer=text,
                    calls=calls,
                    groups={text: text},
                    assistant=HOSTILE[0],
                    warnings=(f"{text}: odd",),
                )
            )
    return traces


def test_the_page_says_nothing_and_asks_for_itself_alone(usual, open_page):
    opened = open_page(usual.page)
    opened.page.wait_for_load_state("networkidle")
    assert opened.said == []
    assert len(opened.asked) == 1


def test_hostile_texts_stay_texts(make, acting, open_page, read):
    made = make(hostile_traces(acting), axes={HOSTILE[0]: HOSTILE[1]})
    opened = open_page(made.page)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.title() == "stagetrace report"
    assert page.evaluate("window.pwned") is None
    assert opened.said == []
    assert len(opened.asked) == 1
    # Not one element or attribute that a page over tame texts does not have.
    tags = "script, img, iframe, object, embed, base, link, form, style"
    assert page.evaluate(f"document.querySelectorAll('{tags}').length") == 2
    names = {name for _, values in read(made.page).elements for name in values}
    assert not any(name.startswith(("on", "style", "xlink", "src")) for name in names)
    for raw in ("\x1b", "\u202e", "\x00", "\x9b"):
        assert raw not in made.page
    assert "49" not in page.inner_text("h1")
    assert "(cut: 4,99" in made.page
    assert len(made.page.encode()) < 2_000_000


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_sorting_goes_up_down_and_back_with_nothing_last(make, ungraded_half, open_page, way):
    page = open_page(make(ungraded_half).page).page
    table = page.locator("table.effects")
    head = table.locator("thead th", has_text="diff")
    column = head.evaluate("(th) => th.cellIndex")

    def values() -> list[str]:
        return table.evaluate(
            "(t, at) => Array.from(t.tBodies[0].rows).map((r) => r.cells[at].dataset.v)", column
        )

    def press() -> None:
        if way == "mouse":
            head.locator("button").click()
        else:
            head.locator("button").focus()
            page.keyboard.press("Enter")

    before = values()
    known = [float(value) for value in before if value]
    nothing = [""] * (len(before) - len(known))
    assert nothing
    assert known
    press()
    assert head.get_attribute("aria-sort") == "ascending"
    got = values()
    assert [float(value) for value in got[: len(known)]] == sorted(known)
    assert got[len(known) :] == nothing
    press()
    assert head.get_attribute("aria-sort") == "descending"
    got = values()
    assert [float(value) for value in got[: len(known)]] == sorted(known, reverse=True)
    assert got[len(known) :] == nothing
    press()
    assert head.get_attribute("aria-sort") is None
    assert values() == before


@pytest.fixture
def ungraded_half(office):
    """Runs in which one condition was not graded, so that its effects do not exist."""
    return [
        replace(trace, outcome=None) if trace.request.condition == "formal" else trace
        for trace in office(10)
    ]


def test_the_filter_shows_what_it_says_and_keeps_its_state_in_the_address(usual, open_page):
    opened = open_page(usual.page)
    page = opened.page
    total = page.locator("table.items tbody tr").count()
    assert page.locator(".filter output").inner_text() == f"{total} items"
    page.locator(".filter [data-f=k]").select_option("induced")
    shown = page.locator("table.items tbody tr:visible").count()
    assert 0 < shown < total
    assert page.locator(".filter output").inner_text() == f"{shown} of {total} items"
    address = page.url
    assert "#items?" in address
    again = open_page(usual.page, "#" + address.split("#")[1]).page
    assert again.locator("table.items tbody tr:visible").count() == shown
    page.locator(".filter [data-f=q]").fill("t003")
    rows = page.locator("table.items tbody tr:visible")
    assert all("t003" in rows.nth(at).inner_text() for at in range(rows.count()))


def first_pair(page: str) -> str:
    return re.findall(r'<article id="([^"]+)"', page)[3]


@pytest.mark.parametrize("script", [True, False])
def test_an_address_opens_its_drill_down_and_no_other(usual, open_page, script):
    anchor = first_pair(usual.page)
    page = open_page(usual.page, f"#{anchor}", java_script_enabled=script).page
    assert page.locator("details.pair[open]").count() == 1
    assert page.locator(f"details.pair[open] #{anchor}").is_visible()


def test_without_script_everything_can_be_reached(usual, open_page):
    page = open_page(usual.page, java_script_enabled=False).page
    assert not page.locator(".filter").first.is_visible()
    assert page.locator("th button").count() == 0
    for table in ("heat", "effects", "items", "overlap"):
        assert page.locator(f"table.{table}").first.is_visible()
    summaries = page.locator("details:not([open]) > summary")
    assert summaries.count() > 5
    details = page.locator("details.pair").first
    details.locator("summary").click()
    assert details.locator(".steps").is_visible()


def test_without_style_and_script_the_plots_still_have_lines(usual, open_page):
    bare = re.sub(r"<(style|script)>.*?</\1>", "", usual.page, flags=re.S)
    page = open_page(bare).page
    strokes = page.evaluate(
        """Array.from(document.querySelectorAll("svg use, svg path"))
          .filter((one) => !one.closest("defs"))
          .map((one) => getComputedStyle(one).stroke + getComputedStyle(one).fill)"""
    )
    assert strokes
    assert any("181, 72, 10" in stroke or "10, 95, 176" in stroke for stroke in strokes)
    colours = {stroke for stroke in strokes if "rgb" in stroke}
    assert len(colours) >= 3
    box = page.locator("svg").first.bounding_box()
    assert box["width"] > 300


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ink_and_paper_are_far_apart(usual, open_page, scheme):
    page = open_page(usual.page, color_scheme=scheme).page
    ratio, paper = page.evaluate(CONTRAST)
    assert ratio >= 4.5
    assert (paper > 0.5) == (scheme == "light")


def test_with_forced_colours_signs_and_numbers_stay(usual, open_page):
    page = open_page(usual.page, forced_colors="active").page
    cell = page.locator("table.heat tbody td[class*=worse]").first
    assert cell.is_visible()
    assert re.match(r"[\u2212+]\d", cell.inner_text())


def test_a_phone_scrolls_down_and_never_sideways(usual, open_page):
    page = open_page(usual.page, **PHONE).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    width, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner


def test_the_print_holds_the_closed_drill_downs(small, open_page, tmp_path):
    from pypdf import PdfReader

    page = open_page(small.page).page
    assert page.locator("details.pair[open]").count() == 0
    path = tmp_path / "page.pdf"
    page.pdf(path=str(path), format="A4")
    printed = "\n".join(one.extract_text() for one in PdfReader(path).pages)
    text = " ".join(unicodedata.normalize("NFKC", printed).split())  # fonts join ffi
    item = re.findall(r'<details class="pair"><summary><b>([^<]+)</b>', small.page)[-1]
    assert f"Move the invoice {item} to Projects." in text


@pytest.fixture(scope="module")
def small(make, office):
    """A page with every kind of table and plot, and little of each; axe looks at all of it."""
    traces = office(8, conditions=("base", "explicit", "indirect", "formal", "dialect_singapore"))
    return make(traces, breakdown_by="kind", megabytes=0.15)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(small, open_page, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(small.page, color_scheme=scheme, bypass_csp=True).page
    page.evaluate(
        "document.querySelectorAll('details').forEach((one, at) => { one.open = at < 9; })"
    )
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


def test_two_thousand_items_stay_small_and_open_fast(make_large, browser, tmp_path):
    """Time is that of the page's own thread, so that a busy machine does not count."""
    page_text = make_large(2_000).page
    assert len(page_text.encode()) <= 5_000_000
    line = re.search(r"([\d,]+) of ([\d,]+) differing pairs shown", page_text)
    shown, differing = (int(number.replace(",", "")) for number in line.groups())
    assert shown == page_text.count('<details class="pair">')
    assert 1_000 < shown < differing
    path = tmp_path / "large.html"
    path.write_text(page_text, encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri())
    metrics = {
        one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]
    }
    assert metrics["TaskDuration"] < 3
    assert page.locator("table.items tbody tr").count() == 2_000
    page.locator(".filter [data-f=q]").fill("t01999")
    assert page.locator("table.items tbody tr:visible").count() == 1
    context.close()
