"""A stratified sample of questions, and the manifest that makes it again.

Source:
    Lost in the Request, appendix B: 100 questions a bin, users with at least 25 mails, question
    texts deduplicated, one question a mail, stratified by reasoning type, near-duplicate and
    refusal filters, from the training split. Thresholds, allocation and seed are not given there;
    they are parameters, and the manifest holds them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import msgspec

from sandboxes.enronqa.classify import BINS, Classifier, Label, by_rules
from sandboxes.enronqa.mailbox import normal_body
from sandboxes.enronqa.rows import Row, data_files, read_rows
from tracer.answer_text import normalise
from tracer.errors import InputError
from tracer.limits import json_value
from tracer.records import Json

KIND = "stagetrace enronqa sample"
_REFUSAL = re.compile(
    r"\b(?:does not|doesn't|do not|did not|is not|isn't|not) (?:say|state|mention|mentioned|specif"
    r"\w+|provide\w*|indicate\w*|given|contain|clear|explicitly)\b|\bno (?:information|mention)\b"
    r"|\bcannot be (?:determined|answered)\b|\bunknown\b|\bunspecified\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Design:
    """How the sample is drawn."""

    split: str = "train"
    per_bin: int = 100
    min_mails: int = 25
    """Mails that a user's mailbox has to hold."""
    near_duplicate: float = 0.8
    """Two questions are near-duplicates when this share of their words is common (Jaccard)."""
    allocation: Literal["proportional", "equal"] = "proportional"
    """How a bin is shared among the reasoning types."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Candidate:
    item: str
    user: str
    mail: str
    """The mail's body in normal form: one question is taken of all its copies."""
    text: str
    """The question in normal form."""
    label: Label

    @property
    def bin(self) -> str:
        return self.label.bin or ""


def draw(
    path: Path,
    design: Design,
    classifier: Classifier = by_rules,
    classifier_name: str = "rules of stagetrace",
) -> dict[str, Json]:
    """The manifest of a sample: design, files with digests, counts, and the items with labels.

    The same files, design and classifier give the same sample, in whatever order rows stand.

    Raises:
        InputError: Not one question is left.
    """
    files = data_files(path)
    dropped: Counter[str] = Counter()
    found = list(_candidates(list(read_rows(files)), design, classifier, dropped))
    chosen = _choose(found, design, dropped)
    if not chosen:
        raise InputError(
            f"{path}: no question is left for the sample ({dict(dropped)}); lower --min-mails, or "
            f"name another --split than {design.split!r}"
        )
    available = Counter(one.bin for one in found)
    taken = Counter(one.bin for one in chosen)
    return {
        "kind": KIND,
        "version": 1,
        "path": str(path),
        "files": _digests(path, files),
        "design": asdict(design),
        "classifier": classifier_name,
        "counts": {
            "questions": len(chosen),
            "mails": len({one.mail for one in chosen}),
            "users": len({one.user for one in chosen}),
            "bins": {name: {"chosen": taken[name], "of": available[name]} for name in BINS},
            "reasoning": dict(sorted(Counter(c.label.reasoning for c in chosen).items())),
            "left_out": dict(sorted(dropped.items())),
        },
        "items": [
            {"item": one.item, "bin": one.bin, **asdict(one.label)}
            for one in sorted(chosen, key=lambda one: (BINS.index(one.bin), one.item))
        ],
    }


class _Item(msgspec.Struct):
    item: str
    bin: str
    reasoning: str


class _Manifest(msgspec.Struct):
    path: str
    files: dict[str, str]
    items: list[_Item]


def read_manifest(path: Path) -> Mapping[str, Json]:
    """A manifest that `draw` made.

    Raises:
        InputError: It is none.
    """
    try:
        manifest: Mapping[str, Json] = json_value(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as a sample's manifest ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise InputError(f"{path}: no sample of EnronQA; make one by: stagetrace data sample PATH")
    try:
        msgspec.convert(manifest, _Manifest)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InputError(f"{path}: not as `stagetrace data sample` writes it ({error})") from error
    return manifest


def checked_files(manifest: Mapping[str, Json], beside: Path) -> list[Path]:
    """The data files of a sample, each with the digest it had.

    Args:
        manifest: The sample's manifest.
        beside: The manifest's folder; a relative path is looked for there too.

    Raises:
        DataMissingError: They are not there.
        InputError: They have changed.
    """
    named = Path(manifest["path"])
    path = named if named.exists() else beside / named
    files = data_files(path)
    found = _digests(path, files)
    if found != manifest["files"]:
        odd = sorted(found.items() ^ manifest["files"].items())[0][0]
        raise InputError(f"{odd}: not the file that the sample was drawn from; draw it again")
    return files


def _candidates(
    rows: Sequence[Row], design: Design, classifier: Classifier, dropped: Counter[str]
) -> Iterable[_Candidate]:
    sizes = Counter(user for user, _ in {(row.user, row.path) for row in rows})
    seen: set[str] = set()
    for row in sorted(rows, key=lambda row: (row.split, row.path)):
        if row.split != design.split:
            continue
        mail = normal_body(row.text)
        for question in row.questions:
            text = normalise(question.text)
            if sizes[row.user] < design.min_mails:
                dropped["small mailbox"] += 1
            elif text in seen:
                dropped["same text"] += 1
            elif _REFUSAL.search(question.answers[0]):
                dropped["refusal"] += 1
            else:
                seen.add(text)
                label = classifier(question.text, row.text)
                if label.bin is None:
                    dropped["several hard properties"] += 1
                    continue
                yield _Candidate(row.item(question), row.user, mail, text, label)


def _choose(
    candidates: Sequence[_Candidate], design: Design, dropped: Counter[str]
) -> list[_Candidate]:
    """The sample; the bin with the fewest candidates is filled first."""
    by_bin: dict[str, list[_Candidate]] = defaultdict(list)
    for one in sorted(candidates, key=lambda one: _draw_key(design.seed, one.item)):
        by_bin[one.bin].append(one)
    chosen: list[_Candidate] = []
    mails: set[str] = set()
    for name in sorted(by_bin, key=lambda name: (len(by_bin[name]), name)):
        strata: dict[str, list[_Candidate]] = defaultdict(list)
        for one in by_bin[name]:
            strata[one.label.reasoning].append(one)
        shares = _shares({k: len(v) for k, v in strata.items()}, design)
        # What a stratum cannot fill is given to the others, in the order of the draw.
        first = [one for kind in sorted(strata) for one in strata[kind][: shares[kind]]]
        taken = {one.item for one in first}
        rest = [one for one in by_bin[name] if one.item not in taken]
        left = design.per_bin
        for one in (*first, *rest):
            if left == 0:
                break
            if one.mail in mails:
                dropped["another question of the mail"] += 1
            elif any(_alike(one, other) >= design.near_duplicate for other in chosen):
                dropped["near-duplicate"] += 1
            else:
                chosen.append(one)
                mails.add(one.mail)
                left -= 1
    return chosen


def _shares(sizes: Mapping[str, int], design: Design) -> dict[str, int]:
    """How many a stratum gives to a bin: largest remainders, ties by name."""
    total, count = sum(sizes.values()), design.per_bin
    exact = {
        name: count * (size / total if design.allocation == "proportional" else 1 / len(sizes))
        for name, size in sizes.items()
    }
    shares = {name: int(share) for name, share in exact.items()}
    order = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in order[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _alike(one: _Candidate, other: _Candidate) -> float:
    left, right = set(one.text.split()), set(other.text.split())
    return len(left & right) / len(left | right) if left or right else 1.0


def _draw_key(seed: int, item: str) -> bytes:
    """Place of an item in the draw: no order of rows and no version of a library changes it."""
    return hashlib.sha256(f"{seed}\x1f{item}".encode()).digest()


def _digests(path: Path, files: Sequence[Path]) -> dict[str, str]:
    """Name of each file below the path to its sha256."""
    root = path if path.is_dir() else path.parent
    return {file.relative_to(root).as_posix(): _digest(file) for file in files}


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
