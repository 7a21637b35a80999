"""Parts by name, filled by the files of one package."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from typing import Generic, TypeVar

from tracer.errors import MissingExtraError, UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Parts of one kind by name; the files of `package` are imported at the first look-up.

    Args:
        kind: What a part is called in messages, such as "metric".
        package: Dotted name of the package whose files file their parts here.

    Example:
        >>> colours: Registry[str] = Registry("colour", "email")
        >>> _ = colours.add("red")("#f00")
        >>> colours.get("red")
        '#f00'
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._parts: dict[str, T] = {}
        self._loaded = False

    def add(self, name: str) -> Callable[[T], T]:
        """A decorator that files a part under `name`.

        Raises:
            ValueError: The name is taken.
        """

        def file(part: T) -> T:
            if name in self._parts and self._parts[name] is not part:
                raise ValueError(f"{self.kind} {name!r} is filed twice in {self.package}")
            self._parts[name] = part
            return part

        return file

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._parts)

    def get(self, name: str) -> T:
        """The part filed under `name`, or the attribute that an import path `MODULE:ATTR` names.

        Raises:
            UnknownNameError: Nothing is filed under the name; the nearest names are offered.
        """
        self._load()
        if name in self._parts:
            return self._parts[name]
        if ":" in name:
            return self._import(name)
        raise UnknownNameError(f"unknown {self.kind} {name!r}; {nearest(name, self.names())}")

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(getattr(package, "__path__", [])):
            if not module.name.startswith("_"):
                importlib.import_module(f"{self.package}.{module.name}")

    def _import(self, name: str) -> T:
        module_name, _, attribute = name.partition(":")
        try:
            part: T = getattr(importlib.import_module(module_name), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise UnknownNameError(
                f"{self.kind} {name!r}: {module_name!r} is neither a known scheme of a {self.kind} "
                f"nor an importable MODULE with the attribute {attribute!r} ({error}); "
                f"{nearest(module_name, self.names())}"
            ) from error
        return part


def nearest(name: str, known: list[str]) -> str:
    """A clause that offers the known names closest to `name`.

    Example:
        >>> nearest("offise", ["office", "tooltalk"])
        "did you mean 'office'?"
    """
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(repr(other) for other in close) + "?"
    return "known: " + ", ".join(known)


def missing_extra(package: str, extra: str, what_for: str) -> MissingExtraError:
    """The error for a package that is not installed, with the command that installs its extra."""
    return MissingExtraError(
        f"{what_for} needs the package {package!r}, which is not installed; "
        f"install it with: pip install 'stagetrace[{extra}]'"
    )
