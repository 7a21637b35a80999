"""Secrets become salted tokens before anything is stored or exported.

It works on the writer thread, once per distinct string of a trace. Most strings hold nothing that
looks like a secret, which one quick search tells; those are remembered beyond the trace, since
prompts and documents come again. A secret that is known by the name it stands under is also
replaced wherever else the trace repeats it. Equal secrets of one run have equal tokens, so that
equality can still be told; the salt never leaves the process.
"""

from __future__ import annotations

import functools
import hmac
import logging
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from tracer import secret_shapes as shapes
from tracer.records import Json

Mask: TypeAlias = Literal["email", "card", "phone"]
MASKS: Final[tuple[Mask, ...]] = ("email", "card", "phone")
FAILED: Final = "[redaction failed]"
"""Stands where a value could not be looked at."""

_log = logging.getLogger(__name__)
_MARK: Final = "[redacted:"
_LEARNED: Final = 64
"""So many secrets of a trace are looked for in its other texts."""
_SHORT: Final = 8
"""A shorter text names no secret."""
_LONG_NAME: Final = 18
"""No token of a well-known shape is shorter than this."""
_NAMES: Final = 10_000
_CLEAN_BYTES: Final = 2 * 2**20
"""So much text without secrets is remembered, then the memory starts anew."""
_LONGEST: Final = _CLEAN_BYTES // 8
"""A longer text is remembered for its trace only."""
_ENTRY_BYTES: Final = 100
"""What remembering a text takes beside the text."""
_BEFORE: Final = 64
_WINDOW: Final = 4096
"""So far around a telling name its value is looked for."""
_DIGIT: Final = re.compile(r"\d")
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CARD: Final = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_PHONE: Final = re.compile(
    r"(?<![\w@./+-])(?:\+\d{1,3}(?:[ ().-]{0,2}\d{2,8}){1,4}|"
    r"(?:\(\d{2,4}\) ?|\d{3}[ .-])\d{3,4}[ .-]\d{3,4})(?![\w-])"
)


_ANY_MARK: Final = re.compile(
    rf"{re.escape(_MARK)}|{re.escape(FAILED)}|\[redacted\b|__REDACTED__", re.IGNORECASE
)


def is_marked(value: Json) -> bool:
    """Whether something in a value was replaced: by us, OpenInference, or as others write it.

    Example:
        >>> is_marked({"to": ["[redacted:email:0a1b2c3d]"]}), is_marked("redacted on Friday")
        (True, False)
    """
    if isinstance(value, str):
        return _ANY_MARK.search(value) is not None
    if isinstance(value, Mapping):
        return any(is_marked(inner) for pair in value.items() for inner in pair)
    return isinstance(value, list | tuple) and any(map(is_marked, value))


class Redactor:
    """The rules of one run.

    Args:
        salt: Makes tokens that equal secrets share; by default new, so that tokens of two runs
            cannot be compared.
        exempt_names: Argument names whose values are public fixtures of a sandbox.
        exempt: Values that are.
        mask: Personal data to replace as well.
        extra: A rule of your own, applied to every text after ours.
    """

    def __init__(
        self,
        *,
        salt: bytes | None = None,
        exempt_names: Iterable[str] = (),
        exempt: Iterable[str] = (),
        mask: Collection[Mask] = (),
        extra: Callable[[str], str] | None = None,
    ) -> None:
        unknown = set(mask) - set(MASKS)
        if unknown:
            raise ValueError(
                f"mask: {', '.join(sorted(unknown))!r} is not known; give some of {MASKS}"
            )
        self.mask = frozenset(mask)
        self.extra = extra
        self.redacted = 0
        """Texts in which something was replaced."""
        self.failures = 0
        """Texts that a rule failed on; none of them was let through."""
        self._salt = os.urandom(16) if salt is None else salt
        self._exempt_names = set(exempt_names)
        self._exempt = set(exempt)
        self._kinds: dict[str, str] = {}
        self._clean: set[bytes] = set()
        self._clean_bytes = 0

    def exempt(self, values: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        """Leave these values, and whatever stands under these names, as they are."""
        self._exempt.update(values)
        self._exempt_names.update(names)
        self._kinds.clear()

    def is_exempt(self, value: str) -> bool:
        """Whether a value is a public fixture."""
        return value in self._exempt

    def is_clean(self, raw: bytes) -> bool:
        """Whether nothing in a text is a secret or the name of one; False may be wrong.

        Args:
            raw: The UTF-8 of a text, or of a value that is packed.
        """
        if self.extra is not None:
            return False
        if raw in self._clean:
            return True
        if self.mask or shapes.may_name(raw) or shapes.may_hold_token(raw):
            return False
        self.note_clean(raw)
        return True

    def note_clean(self, raw: bytes) -> None:
        """Remember that every rule leaves a text as it is."""
        size = len(raw) + _ENTRY_BYTES
        if size > _LONGEST or raw in self._clean:
            return
        if self._clean_bytes + size > _CLEAN_BYTES:
            self._clean.clear()
            self._clean_bytes = 0
        self._clean.add(raw)
        self._clean_bytes += size

    def kind_of(self, name: str) -> str:
        """What kind of secret stands under a name, empty for none."""
        kind = self._kinds.get(name)
        if kind is None:
            kind = "" if name in self._exempt_names else shapes.secret_kind(name)
            if len(self._kinds) < _NAMES:
                self._kinds[name] = kind
        return kind

    def token(self, kind: str, value: str) -> str:
        """What stands in place of a secret.

        Example:
            >>> redactor = Redactor(salt=b"s")
            >>> redactor.token("key", "a") == redactor.token("key", "a")
            True
        """
        raw = value.encode(errors="surrogatepass")
        return f"{_MARK}{kind}:{hmac.digest(self._salt, raw, 'sha256').hex()[:8]}]"

    def text(self, text: str) -> str:
        """One text by itself, such as an error message that goes elsewhere than on a span.

        Example:
            >>> Redactor(salt=b"s").text("curl -H 'Authorization: Basic dTpwYXNz'")[:43]
            "curl -H 'Authorization: [redacted:authoriza"
        """
        alone = TraceRedactor(self)
        alone.learn(text)
        return alone.text(text)


class TraceRedactor:
    """Redaction of one trace: what it has seen and what it has learned."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self.version = 0
        """Changes when a new secret is known, so that what was kept before is looked at anew."""
        self._learned: dict[str, str] = {}
        self._learned_raw: list[bytes] = []
        self._done: dict[str, str] = {}

    def is_clean(self, raw: bytes) -> bool:
        """As the redactor's; nor does the text hold a secret that the trace has named."""
        return self.redactor.is_clean(raw) and not any(
            [secret in raw for secret in self._learned_raw]
        )

    def learn(self, value: Json, name: str = "") -> None:
        """Take note of the secrets that stand under telling names in a value or a text of JSON.

        Args:
            value: What is to be stored.
            name: What it stands under.
        """
        try:
            for kind, secret in self._named(value, name):
                self._learn(kind, secret)
        except Exception:
            self._failed()

    def _named(self, value: Json, name: str = "") -> Iterable[tuple[str, str]]:
        if isinstance(value, str):
            if name and (kind := self.redactor.kind_of(name)):
                yield kind, value
            elif len(value) >= _SHORT and not self.redactor.is_clean(_raw(value)):
                yield from self._pairs(value)
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                yield from self._named(inner, str(key))
        elif isinstance(value, list | tuple):
            for inner in value:
                yield from self._named(inner, name)

    def _learn(self, kind: str, secret: str) -> None:
        telling = len(secret) >= 8 or (len(secret) >= 6 and _DIGIT.search(secret) is not None)
        if (
            not telling
            or secret in self._learned
            or len(self._learned) >= _LEARNED
            or secret.startswith(_MARK)
            or self.redactor.is_exempt(secret)
        ):
            return
        self._learned[secret] = self.redactor.token(kind, secret)
        # The longest first: one secret may be the beginning of another.
        self._learned = dict(sorted(self._learned.items(), key=lambda pair: -len(pair[0])))
        self._learned_raw = [_raw(known) for known in self._learned]
        self._done.clear()
        self.version += 1

    def text(self, text: str, name: str = "") -> str:
        """The text without secrets.

        Args:
            text: What is to be stored.
            name: What it stands under.
        """
        try:
            if name and (kind := self.redactor.kind_of(name)):
                return self._whole(kind, text)
            if len(text) < 4:
                return text
            is_id = bool(name) and shapes.is_id_name(name)
            known = None if is_id else self._done.get(text)
            if known is not None:
                return known
            raw = _raw(text)
            if self.is_clean(raw):
                if self._learned_raw or len(raw) > _LONGEST:
                    self._done[text] = text
                return text
            known = self._search(text, is_id=is_id)
            if not is_id:
                self._done[text] = known
                if known == text and self.redactor.extra is None:
                    self.redactor.note_clean(raw)
            self.redactor.redacted += known != text
            return known
        except Exception:
            return self._failed()

    def value(self, value: Json, name: str = "") -> Json:
        """The value without secrets: names are judged, texts are searched, the rest stays."""
        if isinstance(value, str):
            return self.text(value, name)
        if isinstance(value, dict):
            out = {}
            for key, inner in value.items():
                # What is no text yet, such as a number, becomes one when it is written.
                name = key if isinstance(key, str) else str(key)
                clean = self.text(name) if len(name) >= _LONG_NAME else name
                out[clean] = self.value(inner, name)
            return out
        if isinstance(value, list):
            return [self.value(inner, name) for inner in value]
        number = name and isinstance(value, int) and not isinstance(value, bool)
        # A number under such a name is a PIN; a number of tokens has another name.
        return self.text(str(value), name) if number and self.redactor.kind_of(name) else value

    def _failed(self) -> str:
        self.redactor.failures += 1
        _log.debug("a redaction rule failed", exc_info=True)
        return FAILED

    def _whole(self, kind: str, text: str) -> str:
        if not text or text.startswith(_MARK) or self.redactor.is_exempt(text):
            return text
        self.redactor.redacted += 1
        return self.redactor.token(kind, text)

    def _search(self, text: str, *, is_id: bool) -> str:
        out = text
        for secret, token in self._learned.items():
            if secret in out:
                out = out.replace(secret, token)
        if shapes.may_hold_token(_raw(out)):
            if "-----BEGIN" in out:
                out = shapes.PEM.sub(lambda m: self.redactor.token("private_key", m[0]), out)
            out = self._shapes(out, is_id=is_id)
        out = self._named_in_text(out)
        if self.redactor.mask:
            out = self._masked(out)
        return out if self.redactor.extra is None else self.redactor.extra(out)

    def _shapes(self, text: str, *, is_id: bool) -> str:
        for mark, group in shapes.SHAPES.items():
            if mark in text:
                for literal, kind, pattern in group:
                    if literal in text:
                        text = pattern.sub(functools.partial(self._match, kind), text)
        if "://" in text and "@" in text:
            text = shapes.URL_PASSWORD.sub(functools.partial(self._match, "url_password"), text)
        if not is_id and any([run.search(text) for run in shapes.LONG_RUNS]):
            text = shapes.PREFIXED.sub(self._prefixed, text)
        return text

    def _match(self, kind: str, match: re.Match[str]) -> str:
        secret = match[1] if match.re.groups else match[0]
        if self.redactor.is_exempt(secret) or secret.startswith(_MARK):
            return match[0]
        return match[0].replace(secret, self.redactor.token(kind, secret))

    def _prefixed(self, match: re.Match[str]) -> str:
        if not shapes.is_prefixed_secret(match[1], match[2]):
            return match[0]
        return self._match_whole("token", match[0])

    def _match_whole(self, kind: str, secret: str) -> str:
        return secret if self.redactor.is_exempt(secret) else self.redactor.token(kind, secret)

    def _named_in_text(self, text: str) -> str:
        found = {secret: kind for kind, secret in self._pairs(text)}
        for secret in sorted(found, key=len, reverse=True):
            text = text.replace(secret, self.redactor.token(found[secret], secret))
        return text

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        """Kinds and secrets that a text names: as JSON, as settings, as headers, in a sentence."""
        found: list[tuple[str, str]] = []
        if not shapes.may_name(_raw(text)):
            return found
        done = 0
        for at in _places(text):
            if at >= done and shapes.FOLLOWS.match(text, at) is not None:
                done = self._pair_at(found, text, at)
        return found

    def _pair_at(self, found: list[tuple[str, str]], text: str, at: int) -> int:
        """Note what the name around this place stands for; the end of what was looked at."""
        before = shapes.BEFORE.search(text, max(0, at - _BEFORE), at)
        after = shapes.AFTER.match(text, at)
        begin = at if before is None else before.start()
        name = text[begin:at] + (after[0] if after else "")
        scheme = name.lower().rpartition(" ")[2]
        kind = self.redactor.kind_of(name) or (scheme if scheme in ("bearer", "basic") else "")
        if not kind or text.endswith(_MARK, 0, at):
            return at + 1
        line = text.find("\n", at)
        end = min(len(text) if line < 0 else line, at + _WINDOW)
        for pattern in shapes.NAMED:
            match = pattern.search(text, max(0, begin - 4), end)
            if match is None or not match.start("name") <= at < match.end("name"):
                continue
            secret = match["value"].rstrip()
            if pattern in shapes.BARE:
                secret = secret.rstrip(".,;:!?")
            if pattern is shapes.BEARER and not _DIGIT.search(secret):
                continue
            # In prose a colon is often followed by a plain word: "Token: see below".
            if pattern is shapes.PAIR and not (
                match["how"] == "=" or kind == "password" or match["q"] or _telling(secret)
            ):
                continue
            if secret and _MARK not in secret and not self.redactor.is_exempt(secret):
                found.append((kind, secret))
                return max(at + 1, match.end())
        return at + 1

    def _masked(self, text: str) -> str:
        mask, token = self.redactor.mask, self.redactor.token
        if "email" in mask and "@" in text:
            text = _EMAIL.sub(lambda m: token("email", m[0].lower()), text)
        if "card" in mask:
            text = _CARD.sub(lambda m: token("card", m[0]) if _luhn(m[0]) else m[0], text)
        if "phone" in mask:
            text = _PHONE.sub(lambda m: token("phone", re.sub(r"\D", "", m[0])), text)
        return text


def _raw(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _places(text: str) -> list[int]:
    """Where the stems of telling names stand, in order."""
    lower = text.lower()
    if len(lower) != len(text):
        # A few letters are longer in lower case; the places would not fit.
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    found: set[int] = set()
    for stem in shapes.STEMS:
        at = lower.find(stem)
        while at >= 0:
            found.add(at)
            at = lower.find(stem, at + 1)
    return sorted(found)


def _telling(text: str) -> bool:
    return len(text) >= 8 and _DIGIT.search(text) is not None


def _luhn(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()]
    doubled = [sum(divmod(2 * d, 10)) for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
