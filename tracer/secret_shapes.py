"""What secrets look like: names they are kept under, and the shapes of well-known tokens.

Source:
    Key names and shapes as the issuers publish them for secret scanning; the rule for prefixed
    tokens is ours, for issuers that no list knows.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, TypeAlias

# fmt: off
_WORDS: Final = frozenset((
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "apikey",
    "authorization", "cookie", "cookies", "credential", "credentials", "accesstoken", "authtoken",
    "refreshtoken", "sessiontoken", "privatekey", "secretkey", "accesskey", "bearer", "jwt",
))
_KEY_BEFORE: Final = frozenset((
    "api", "access", "secret", "private", "signing", "encryption", "auth", "account", "master",
    "shared", "service", "subscription", "license",
))
_NO_SECRET_TOKEN: Final = frozenset((
    "page", "sync", "next", "continuation", "cancel", "cancellation", "eos", "bos", "pad", "stop",
    "unk", "mask", "max", "min", "num",
))
# fmt: on
_AFTER_TOKEN: Final = frozenset({"value", "secret", "header"})
# fmt: off
_PASSWORD_WORDS: Final = frozenset((
    "password", "passwd", "passphrase", "passcode", "pwd",
))
# fmt: on
_SPLIT: Final = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")

STEMS: Final = (
    *("pass", "pwd", "secret", "token", "key", "auth", "cookie", "credential", "bearer", "jwt"),
    "basic",
)
"""Every name of a secret holds one of these in lower case: what holds none need not be searched."""
FOLLOWS: Final = re.compile(
    r"""[\w.-]{0,40}(?:(?:\\*["'])?\s{0,4}[:=]|\s+(?:is|was)\s|(?<=[rRcC])\s+[\w.~+/=-]{12})"""
    r"|[\w-]{0,40} [^\s:=-]"
)
"""What stands behind a stem where a value may follow, tried at the stem itself."""
BEFORE: Final = re.compile(r"(?:[\w.-]+ )?[\w.-]*\Z")
AFTER: Final = re.compile(r"[\w.-]*")


@cache
def secret_kind(name: str) -> str:
    """What kind of secret a value under this name is, empty when it is none.

    Example:
        >>> [secret_kind(n) for n in ("X-Api-Key", "dbPassword", "max_tokens", "secretary")]
        ['api_key', 'password', '', '']
    """
    words = [word.lower() for word in _SPLIT.split(name) if word]
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if word in _WORDS:
            return "password" if word in _PASSWORD_WORDS else word
        if word == "key" and before in _KEY_BEFORE:
            return f"{before}_key"
        last = at == len(words) - 1
        if word == "token" and before not in _NO_SECRET_TOKEN:
            if last or words[at + 1] in _AFTER_TOKEN:
                return "token"
        elif word == "auth" and last:
            return "auth"
    return ""


@cache
def is_id_name(name: str) -> bool:
    """Whether a value under this name is an id, which only a well-known shape makes a secret."""
    words = [word.lower() for word in _SPLIT.split(name) if word]
    return bool(words) and words[-1] in ("id", "ids", "uuid", "digest", "sha256", "hash")


_MAY_NAME: Final = re.compile(
    rb"k(?:(?<=tok)en|ey|(?<=cook)ie)|p(?:ass(?:w|phrase|code)|wd)|b(?:earer|asic)"
    # The last one is the Kelvin sign, which is a k in lower case.
    rb"|auth|cre(?:(?<=secre)t|dential)|jwt|\xe2\x84\xaa"
)
_RUN: Final = rb"[\w.%+/=\x80-\xff-]"
_MAY_HOLD: Final = re.compile(
    # Each begins with a character that is rare in prose, so that a text is passed over quickly;
    # what stands before that one is looked back for.
    rb"-(?:(?<=[ktabceoprsXiy]-)" + _RUN + rb"{10}|[A-Za-z0-9]{20}|----BEGIN)"
    rb"|_(?<=[A-Za-z0-9]_)" + _RUN + rb"{10}"
    rb"|\.(?:(?<=SG\.)|(?<=ya29\.)|(?<=hv[sb]\.)|(?<=slack\.)com/)"
    rb"|=(?<=[yge]=)" + _RUN + rb"{20}"
    rb"|://[^\s/:@\"']*:[^\s/@\"']+@"
    rb"|A(?:[KS]IA|Iza|(?<=:A)A)|SK[0-9a-f]{32}|J(?<=eyJ)|p(?<=dap)i[0-9a-f]{32}"
)


def may_name(raw: bytes) -> bool:
    """Whether a text may hold the name of a secret; True says only that a closer look is needed.

    Args:
        raw: The UTF-8 of a text, or of several with anything in between.

    Example:
        >>> may_name(b"DB_PASSWORD"), may_name(b"Please pass this on.")
        (True, False)
    """
    return _MAY_NAME.search(raw.lower()) is not None


def may_hold_token(raw: bytes) -> bool:
    """Whether a text may hold a token of one of `SHAPES` or of `PREFIXED`, a key or a password.

    As `may_name`; a shape that is added has to pass it too.

    Example:
        >>> may_hold_token(b"ghp_" + b"a" * 36), may_hold_token(b"a follow-up note")
        (True, False)
    """
    return _MAY_HOLD.search(raw) is not None


Shape: TypeAlias = tuple[str, str, re.Pattern[str]]
"""Of one issuer's tokens: a literal that stands in each (a text without it is not searched), the
kind, and the pattern, whose group 1, or whole match where it has none, is the secret."""


def _shapes(kind: str, literals: str, pattern: str) -> tuple[Shape, ...]:
    compiled = re.compile(pattern)
    return tuple((literal, kind, compiled) for literal in literals.split())


_B: Final = r"(?<![A-Za-z0-9])"

SHAPES: Final = {
    "-": (
        *_shapes("key", "sk-", _B + r"sk-(?=[\w-]*\d)[\w-]{16,}"),
        *_shapes("gitlab", "glpat- gldt- glrt-", _B + r"gl(?:pat|dt|rt)-[\w.-]{16,}"),
        *_shapes("slack", "xox", _B + r"xox[abceoprs]-[\w-]{10,}"),
        *_shapes("slack", "xapp-", _B + r"xapp-\d-[\w-]{10,}"),
        *_shapes("google", "GOCSPX-", _B + r"GOCSPX-[\w-]{20,}"),
        *_shapes("pypi", "pypi-", _B + r"pypi-[\w-]{30,}"),
        *_shapes("mailgun", "key-", _B + r"key-[0-9a-z]{32}"),
    ),
    "_": (
        *_shapes("stripe", "k_live_ k_test_", _B + r"[rsp]k_(?:live|test)_\w{10,}"),
        *_shapes("stripe", "whsec_", _B + r"whsec_\w{10,}"),
        *_shapes("github", "ghp_ gho_ ghu_ ghs_ ghr_", _B + r"gh[pousr]_[A-Za-z0-9]{20,}"),
        *_shapes("github", "github_pat_", _B + r"github_pat_\w{20,}"),
        *_shapes("huggingface", "hf_", _B + r"hf_[A-Za-z0-9]{20,}"),
        *_shapes("npm", "npm_", _B + r"npm_[A-Za-z0-9]{30,}"),
        *_shapes("shopify", "shp", _B + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
        *_shapes("digitalocean", "_v1_", _B + r"do[opr]_v1_[0-9a-f]{40,}"),
    ),
    ".": (
        *_shapes("slack", "hooks.slack.com/", r"hooks\.slack\.com/services/([\w/]{20,})"),
        *_shapes("sendgrid", "SG.", _B + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
        *_shapes("google", "ya29.", _B + r"ya29\.[\w-]{20,}"),
        *_shapes("vault", "hvs. hvb.", _B + r"hv[sb]\.[\w-]{20,}"),
        *_shapes("jwt", "eyJ", _B + r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    ),
    "=": (
        *_shapes("azure", "AccessKey= AccountKey=", r"(?:Account|Access)Key=([\w+/=]{20,})"),
        *_shapes("signature", "sig= Signature=", r"[?&](?:sig|[\w-]*Signature)=([\w%+/=-]{20,})"),
    ),
    "": (
        *_shapes("aws", "AKIA ASIA", _B + r"A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])"),
        *_shapes("google", "AIza", _B + r"AIza[\w-]{30,}"),
        *_shapes("databricks", "dapi", _B + r"dapi[0-9a-f]{32}"),
        # Begins with a fixed text, since its literal is in many words.
        *_shapes("twilio", "SK", r"SK[0-9a-f]{32}(?![0-9a-f])"),
        *_shapes("telegram", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{30,}"),
    ),
}  # fmt: skip
"""By a character that every token of the group has, so that most groups are passed over."""
LONG_RUNS: Final = (re.compile(r"-[A-Za-z0-9]{20}"), re.compile(r"_[A-Za-z0-9]{20}"))
"""Quick to search, since each begins with one fixed character."""

URL_PASSWORD: Final = re.compile(r"://[^\s/:@\"']*:([^\s/@\"']+)@")
PEM: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r".*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)

# Prefixes under which APIs hand out ids of calls, messages and files; ids are never touched.
# fmt: off
_ID_PREFIXES: Final = frozenset((
    "call", "toolu", "msg", "chatcmpl", "cmpl", "resp", "run", "thread", "asst", "file", "req",
    "fc", "rs", "batch", "gen", "item", "ws", "vs", "step", "tool", "id", "uuid", "doc", "lc",
    "nextpart", "boundary", "srvtoolu", "event", "evt", "trace", "span", "cus", "sub",
))
# fmt: on
_SECRET_PREFIX: Final = re.compile(
    r"(?:^|[_-])(?:key|tok|token|secret|pat|api|sk|live|prod|auth|pass)(?:[_-]|$)", re.IGNORECASE
)
PREFIXED: Final = re.compile(
    _B + r"([A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{1,8}){0,3})[_-]([A-Za-z0-9]{20,})"
    r"(?![A-Za-z0-9])"
)
"""A short name, `_` or `-`, and a long run: the shape that most issuers have settled on."""
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")


def is_prefixed_secret(prefix: str, run: str) -> bool:
    """Whether a match of `PREFIXED` is a token rather than an id, a digest or a word.

    Example:
        >>> is_prefixed_secret("acme_live", "f9Kq27LmX0pZr4TnB81w")
        True
        >>> is_prefixed_secret("call", "f9Kq27LmX0pZr4TnB81w")
        False
    """
    if re.split("[_-]", prefix)[0].lower() in _ID_PREFIXES:
        return False
    if sum(c.isdigit() for c in run) < 2 or run.isdigit():
        return False
    if _HEX.fullmatch(run):
        return len(run) >= 32 and bool(_SECRET_PREFIX.search(prefix))
    mixed = any(c.islower() for c in run) and any(c.isupper() for c in run)
    return mixed or len(run) >= 24


# Names and values in texts. Quotes may be escaped, where a text holds JSON that holds JSON.
QUOTED: Final = re.compile(
    r"""(?P<q>\\*["'])(?P<name>[A-Za-z_][\w .-]{0,60}?)(?P=q)\s*[:=]\s*"""
    r"""(?:[bru](?=\\*["']))?(?P<v>\\*["'])(?P<value>.*?)(?<!\\)(?P=v)"""
)
"""`"api_key": "..."`, with either quote."""
NUMBERED: Final = re.compile(
    r"""(?P<q>\\*["'])(?P<name>[A-Za-z_][\w .-]{0,60}?)(?P=q)\s*:\s*(?P<value>\d{4,})"""
)
"""`"pin": 1234`."""
PAIR: Final = re.compile(
    r"""(?<![\w.-])-{0,2}(?P<name>[A-Za-z_][\w.-]{0,60})\s?(?P<how>=|:)\s?"""
    r"""(?:[bru](?=\\*["']))?(?P<q>\\*["']?)(?P<value>[^\s"'\\,;&)}\]<>]{4,})"""
)
"""`api_key=...`, `password: ...`."""
OPTION: Final = re.compile(r"(?<![\w-])--(?P<name>[a-z][\w-]{1,60}) (?P<value>[^\s\"']{4,})")
"""`--api-key ...`."""
SENTENCE: Final = re.compile(
    r"\b(?P<name>pass(?:word|phrase|code))\s+(?:is|was)\s+[\"']?(?P<value>[^\s\"',;]{4,})",
    re.IGNORECASE,
)
"""`the password is ...`."""
AUTHORIZATION: Final = re.compile(
    r"""(?i)\b(?P<name>(?:proxy-)?authorization|(?:set-)?cookie)(?P<q>\\*["']?)"""
    r"""\s*[:=]\s*\\*["']?(?P<value>[^\r\n"'\\]{4,})"""
)
"""A whole header, whatever its scheme."""
BEARER: Final = re.compile(r"(?i)\b(?P<name>bearer|basic)\s+(?P<value>[\w.~+/=-]{12,})")
BARE: Final = (OPTION, SENTENCE, PAIR)
"""Here a mark of the sentence may stand right behind the value."""
NAMED: Final = (AUTHORIZATION, BEARER, QUOTED, NUMBERED, OPTION, SENTENCE, PAIR)
"""In this order: a whole header before a pair inside it."""
