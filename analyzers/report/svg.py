"""A matplotlib figure as SVG that may stand inside a page with a strict content policy."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from analyzers.report.palette import TOKENS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched, copied and scaled
    "svg.hashsalt": "stagetrace",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.unicode_minus": True,
    "text.parse_math": False,  # a condition called $x$ is no formula
}
"""What matplotlib draws with; the same figure gives the same bytes."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_LEFT_OUT = {"metadata", "style"}
_COLOURS = {light: f"var(--{token},{light})" for token, (light, _) in TOKENS.items()}
_FONT = re.compile(r"^(?:(italic|normal)\s+)?(?:(bold|\d{3})\s+)?([\d.]+)px\s+(.*)$")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DECLARATIONS = re.compile(r"\s*;\s*")
_DEFAULTS = {("stroke-opacity", "1"), ("fill-opacity", "1"), ("opacity", "1")}
_WORDLESS = {"stroke-linejoin": "miter", "stroke-miterlimit": "10"}


def figure_svg(figure: Figure, *, prefix: str, title: str, description: str) -> str:
    """The figure as one `<svg>` element without style attributes, element names or addresses.

    Args:
        figure: A figure drawn in the light colours of the palette.
        prefix: What all ids begin with; another for each figure of a page.
        title: Its name, read aloud first.
        description: What it shows, in a sentence.

    Source:
        Ours: a policy without inline styles blocks the `style` attributes that matplotlib writes,
        and the plot turns black; presentation attributes are not blocked. Colours refer to custom
        properties with the light colour as fallback, so that the plot is right without a style
        sheet and dark with a dark one.
    """
    target = io.StringIO()
    with warnings.catch_warnings():
        # Ids and conditions may hold letters that the font for measuring lacks; browsers have them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(target, format="svg", metadata={"Date": None}, transparent=True)
    return cleaned(target.getvalue(), prefix=prefix, title=title, description=description)


def drawable(text: str) -> str:
    """Text without the two characters that XML cannot hold and `printable` lets pass."""
    return text.replace("\ufffe", "?").replace("\uffff", "?")


def cleaned(text: str, *, prefix: str, title: str, description: str) -> str:
    """An SVG document as an element for HTML, as `figure_svg` says."""
    root = ElementTree.fromstring(text[text.index("<svg") :])
    _clean(root, prefix)
    width = float(root.attrib["width"].removesuffix("pt"))
    root.set("width", f"{width * 4 / 3:.0f}")
    for name in ("height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    for place, (tag, words) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = words
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _clean(element: ElementTree.Element, prefix: str) -> None:
    element.tag = element.tag.removeprefix(_SVG)
    for key, value in _declared(element.attrib.pop("style", "")):
        element.set(key, value)
    if _XLINK in element.attrib:
        element.set("href", f"#{prefix}-{element.attrib.pop(_XLINK).removeprefix('#')}")
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.attrib['id']}")
    for key, value in element.attrib.items():
        element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", _COLOURS.get(value, value)))
    for child in list(element):
        if not isinstance(child.tag, str) or child.tag.removeprefix(_SVG) in _LEFT_OUT:
            element.remove(child)
        else:
            _clean(child, prefix)
    # White space between elements has no meaning in SVG, and there is a lot of it.
    if not (element.text or "").strip():
        element.text = None
    element.tail = None


def _declared(style: str) -> list[tuple[str, str]]:
    """Style declarations as presentation attributes; `font` is none and is taken apart."""
    out: list[tuple[str, str]] = []
    for declaration in _DECLARATIONS.split(style.strip().strip(";")):
        key, colon, value = declaration.partition(":")
        key, value = key.strip(), value.strip()
        if not colon or (key, value) in _DEFAULTS or _WORDLESS.get(key) == value:
            continue
        font = _FONT.match(value) if key == "font" else None
        if font is None:
            out.append((key, value))
            continue
        _, weight, size, family = font.groups()
        out.append(("font-size", size))
        out.append(("font-family", family.replace("'", "").replace('"', "")))
        if weight and weight != "400":
            out.append(("font-weight", weight))
    return out
