"""Fetching ToolTalk and WorkBench: through git, from a clone, from a folder; every file checked."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sandboxes.data import CARD, LICENCE, Source, problems, source, sources
from sandboxes.fetching import fetch
from sandboxes.tooltalk import Tooltalk
from sandboxes.workbench import Workbench
from stagetrace.commandline import run
from tracer.errors import InputError, UnknownNameError

NAMES = ("tooltalk", "workbench")


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def checkout(data: Path, name: str, folder: Path) -> Path:
    """A plain checkout as upstream lies, made from the files in our layout."""
    one = source(name)
    for file in one.files:
        path = folder / one.upstream(file)[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data / name / file, path)
    return folder


@pytest.fixture(scope="module")
def repositories(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    """Sources whose repository is a local one that was made here; a later commit changes a file."""
    made = {}
    for name in NAMES:
        folder = checkout(data_dir, name, tmp_path_factory.mktemp(name))
        git(folder, "init", "--quiet")
        git(folder, "add", "-A")
        git(folder, "commit", "--quiet", "-m", "first")
        commit = git(folder, "rev-parse", "HEAD")
        (folder / "LICENSE").write_text("another licence\n")
        git(folder, "commit", "--quiet", "-am", "second")
        made[name] = dataclasses.replace(source(name), repository=str(folder), commit=commit)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_files_come_through_git_at_the_pinned_commit(
    repositories: dict[str, Source], tmp_path: Path, name: str
) -> None:
    one = repositories[name]
    target = fetch(one, tmp_path / name)
    assert problems(target, one) == []
    assert {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()} == {
        *one.files,
        CARD,
    }
    card = (target / CARD).read_text()
    assert one.commit in card
    assert one.licence in card
    assert fetch(one, target) == target
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_files_come_from_a_clone_that_stands_at_another_commit(
    repositories: dict[str, Source], tmp_path: Path, name: str
) -> None:
    one = repositories[name]
    target = fetch(one, tmp_path / name, Path(one.repository))
    assert problems(target, one) == []


@pytest.mark.parametrize("name", NAMES)
def test_suites_run_from_fetched_files_and_from_a_plain_checkout(
    data_dir: Path, tmp_path: Path, name: str
) -> None:
    """None of them asks for a file that is not upstream."""
    plain = checkout(data_dir, name, tmp_path / "plain")
    fetched = fetch(source(name), tmp_path / "fetched", plain)
    assert not list(tmp_path.rglob("tool_schemas.json"))
    box = Tooltalk if name == "tooltalk" else Workbench
    seen = []
    for folder in (plain, fetched, data_dir / name):
        suite = box("all", data=lambda _, at=str(folder): at)
        tasks = list(suite.tasks())
        suite.reset(tasks[0])
        seen.append(([(task.item, task.calls) for task in tasks], suite.state_digest()))
    assert seen[0] == seen[1] == seen[2]


def test_a_wrong_digest_is_refused_and_nothing_is_written(data_dir: Path, tmp_path: Path) -> None:
    plain = checkout(data_dir, "tooltalk", tmp_path / "plain")
    (plain / "data/easy/AddAlarm-easy.json").write_text("{}")
    (plain / "data/databases/Alarm.json").unlink()
    with pytest.raises(InputError) as caught:
        fetch(source("tooltalk"), tmp_path / "to" / "tooltalk", plain)
    said = str(caught.value)
    assert "2 of 87 files are not those of ToolTalk" in said
    assert "databases/Alarm.json (absent)" in said
    assert "easy/AddAlarm-easy.json (differs)" in said
    assert "\n" not in said
    assert not (tmp_path / "to").exists()


def test_a_folder_with_other_files_is_left_alone(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "tooltalk").mkdir()
    (tmp_path / "tooltalk" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="move the folder away"):
        fetch(source("tooltalk"), tmp_path / "tooltalk", data_dir / "tooltalk")
    assert (tmp_path / "tooltalk" / "mine.txt").read_text() == "mine"


def test_without_git_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"git is not installed; .* --from PATH"):
        fetch(source("tooltalk"), tmp_path / "tooltalk")


def test_without_network_one_line_says_what_to_do(tmp_path: Path) -> None:
    away = dataclasses.replace(source("tooltalk"), repository="https://127.0.0.1:9/none.git")
    with pytest.raises(InputError, match=r"git fetch failed: .* --from PATH") as caught:
        fetch(away, tmp_path / "tooltalk")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_is_answered() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'tooltalk'"):
        source("tooltak")


def test_names_and_digests_are_all_that_comes_along() -> None:
    for one in sources().values():
        assert LICENCE in one.files
        assert all(len(sha256) == 64 for sha256 in one.files.values())
        assert len(one.commit) == 40


def test_the_commands_list_fetch_and_check(
    data_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("STAGETRACE_DATA", str(tmp_path / "data"))
    assert run(["data", "list", "--json"]) == 0
    assert [row["here"] for row in json.loads(capsys.readouterr().out)["data"]] == ["no", "no"]
    assert run(["data", "fetch", "workbench", "--from", str(data_dir / "workbench")]) == 0
    capsys.readouterr()
    assert run(["data", "check", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["data"]
    assert [row.get("problems") for row in rows] == [None, []]
    mails = tmp_path / "data" / "workbench" / "sandbox" / "emails.csv"
    mails.write_text(mails.read_text() + "\n")
    assert run(["data", "check", "workbench"]) == 1
    assert "differs: sandbox/emails.csv" in capsys.readouterr().out
    assert run(["data", "check", "tooltalk"]) == 2
    assert "stagetrace data fetch tooltalk" in capsys.readouterr().err
