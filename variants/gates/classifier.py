"""A text classifier from a folder, for the gates of formality and politeness."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tracer.errors import ModelWeightsMissingError
from tracer.registry import missing_extra


class FolderClassifier:
    """The chance of some labels together, by a sequence classifier in a local folder.

    Args:
        folder: What transformers saved; nothing is downloaded.
        labels: Labels whose chances are added, such as `formal`; compared without case.

    Raises:
        ModelWeightsMissingError: There is no such folder.

    Source:
        Out of Style, Appendix A.1: a RoBERTa ranker of formality and a four-way classifier of
        politeness, of which polite and somewhat polite count.
    """

    def __init__(self, folder: Path, labels: Iterable[str]) -> None:
        self.name = folder.name
        self._folder = folder
        self._labels = {label.casefold() for label in labels}
        self._loaded: tuple[Any, Any] | None = None
        if not folder.is_dir():
            raise ModelWeightsMissingError(
                f"classifier: no weights in {folder}; put the model's folder there or leave the "
                "option out, and our own scorer records its figure"
            )

    def score(self, text: str) -> float:
        """The summed chance of the labels.

        Raises:
            ModelWeightsMissingError: The folder holds no readable model with such labels.
            MissingExtraError: transformers or torch is not installed.
        """
        tokenizer, model = self._load()
        torch = importlib.import_module("torch")
        with torch.no_grad():
            batch = tokenizer(text, return_tensors="pt", truncation=True)
            chances = torch.softmax(model(**batch).logits[0], dim=-1).tolist()
        names = {int(index): str(name) for index, name in model.config.id2label.items()}
        counted = [place for place, name in names.items() if name.casefold() in self._labels]
        if not counted:
            raise ModelWeightsMissingError(
                f"{self._folder}: labels are {sorted(names.values())}, none of "
                f"{sorted(self._labels)}; this is another classifier"
            )
        return float(sum(chances[place] for place in counted))

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            try:
                transformers = importlib.import_module("transformers")
            except ImportError as error:
                raise missing_extra("transformers", "retrieval", "a classifier") from error
            try:
                self._loaded = (
                    transformers.AutoTokenizer.from_pretrained(
                        str(self._folder), local_files_only=True
                    ),
                    transformers.AutoModelForSequenceClassification.from_pretrained(
                        str(self._folder), local_files_only=True
                    ),
                )
            except (OSError, ValueError) as error:
                raise ModelWeightsMissingError(
                    f"{self._folder}: no readable model: {error}"
                ) from error
        return self._loaded
