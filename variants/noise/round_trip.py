"""Round-trip translation: English to Afrikaans and back, by a translator that is handed in."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracer.errors import ModelWeightsMissingError, VariantError
from tracer.limits import json_value
from tracer.registry import missing_extra
from variants.base import Translator

SOURCE, PIVOT = "en", "af"


def round_trip(text: str, translator: Translator, *, pivot: str = PIVOT) -> str:
    """The text translated into another language and back.

    Args:
        text: A request in English.
        translator: Translates both ways.
        pivot: Code of the language between.

    Source:
        Out of Style, section 3.1: English, Afrikaans, English with opus-mt. It is never imitated by
        rules: its damage comes from what a real model does.
    """
    (there,) = translator.translate([text], SOURCE, pivot)
    (back,) = translator.translate([there], pivot, SOURCE)
    return back


class RecordedTranslator:
    """Translations from a file of JSON lines with `src`, `tgt`, `text` and `translation`.

    Args:
        path: The file.

    Raises:
        VariantError: The file cannot be read or a line is no translation.
    """

    def __init__(self, path: Path) -> None:
        self.name = f"recorded:{path.name}"
        self._path = path
        self._found: dict[tuple[str, str, str], str] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise VariantError(f"{path}: no readable file of translations: {error}") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json_value(line)
                key = (str(row["src"]), str(row["tgt"]), str(row["text"]))
                self._found[key] = str(row["translation"])
            except (ValueError, KeyError, TypeError) as error:
                raise VariantError(
                    f"{path}:{number}: no translation; a line needs src, tgt, text and translation"
                ) from error

    def translate(self, texts: Sequence[str], src: str, tgt: str) -> list[str]:
        """The stored translations.

        Raises:
            VariantError: One text was not recorded.
        """
        for text in texts:
            if (src, tgt, text) not in self._found:
                raise VariantError(
                    f"{self._path}: no translation from {src!r} to {tgt!r} of {text[:60]!r}; "
                    "record it or leave the item out"
                )
        return [self._found[src, tgt, text] for text in texts]


class OpusMt:
    """Marian models from a folder that holds `opus-mt-en-af` and `opus-mt-af-en`.

    Args:
        folder: Where the models' folders lie; nothing is downloaded.

    Raises:
        ModelWeightsMissingError: One of the folders is not there.
    """

    def __init__(self, folder: Path, *, pivot: str = PIVOT) -> None:
        self.name = "opus-mt"
        self._folders = {
            pair: folder / f"opus-mt-{pair[0]}-{pair[1]}"
            for pair in ((SOURCE, pivot), (pivot, SOURCE))
        }
        self._loaded: dict[tuple[str, str], tuple[Any, Any]] = {}
        absent = [str(path) for path in self._folders.values() if not path.is_dir()]
        if absent:
            raise ModelWeightsMissingError(
                f"opus-mt: no weights in {', '.join(absent)}; put the models' folders there, or "
                "use --translator recorded:FILE"
            )

    def translate(self, texts: Sequence[str], src: str, tgt: str) -> list[str]:
        """Translations by beam search, always the same.

        Raises:
            ModelWeightsMissingError: There is no model for this pair, or it cannot be read.
            MissingExtraError: transformers or torch is not installed.
        """
        tokenizer, model = self._pair(src, tgt)
        batch = tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True)
        made = model.generate(**batch, do_sample=False)
        return [str(text) for text in tokenizer.batch_decode(made, skip_special_tokens=True)]

    def _pair(self, src: str, tgt: str) -> tuple[Any, Any]:
        folder = self._folders.get((src, tgt))
        if folder is None:
            raise ModelWeightsMissingError(f"opus-mt: no model from {src!r} to {tgt!r}")
        if (src, tgt) not in self._loaded:
            try:
                transformers = importlib.import_module("transformers")
            except ImportError as error:
                raise missing_extra("transformers", "retrieval", "opus-mt") from error
            try:
                self._loaded[src, tgt] = (
                    transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True),
                    transformers.AutoModelForSeq2SeqLM.from_pretrained(
                        str(folder), local_files_only=True
                    ),
                )
            except (OSError, ValueError) as error:
                raise ModelWeightsMissingError(f"{folder}: no readable model: {error}") from error
        return self._loaded[src, tgt]
