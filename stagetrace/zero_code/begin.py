"""Begins tracing in a process that `stagetrace trace` started, by wrapping what is imported."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from stagetrace import settings
from stagetrace.zero_code import libraries

WRAPPED: dict[str, Callable[[ModuleType], None]] = {
    "langgraph.pregel": libraries.wrap_graphs,
    "langchain_core.language_models.chat_models": libraries.wrap_models,
    "langchain_core.retrievers": libraries.wrap_retrievers,
    "langchain_core.tools": libraries.wrap_tools,
    "openai.resources.chat.completions": libraries.wrap_openai,
    "openai.resources.responses": libraries.wrap_responses,
}
"""Module to what is done with it right after its import."""


def begin(hook_folder: str) -> None:
    """Start tracing where this process was told to, and tell its children nothing of it."""
    told = settings.zero_code()
    if told is None:
        return
    if not told.children:
        settings.forget_zero_code(hook_folder)
    libraries.TOLD.append(told)
    sys.meta_path.insert(0, _AfterImport())


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds nothing itself; has the modules of `WRAPPED` wrapped after they ran."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module as the other finders find it, with a loader that wraps it."""
        if fullname not in WRAPPED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Wrapping(spec.loader, WRAPPED[fullname])
        return spec


class _Wrapping(importlib.abc.Loader):
    def __init__(self, loader: Any, wrap: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._wrap = wrap

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._wrap(module)
