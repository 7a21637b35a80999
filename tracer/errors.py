"""What can go wrong, as classes that a caller may want to catch.

StagetraceError
├── InputError             bad usage or bad input; the command line ends with status 2
│   ├── UnknownNameError   a suite, model, condition, metric ... that nobody filed
│   ├── MissingExtraError  a package of an extra is not installed
│   ├── DataMissingError   a benchmark's files are not where they were looked for
│   ├── TraceFormatError   a file of traces cannot be read
│   ├── VariantError       a file of variants cannot be used
│   └── ModelWeightsMissingError   the weights of a named model are not on this machine
├── StoreError             the store cannot be written or is used by another run
├── EndpointError          a model endpoint is down or answers with an error
├── PairingError           outcomes that do not belong together
└── ShadowedRoomError      another file on the path hides one of our packages
"""


class StagetraceError(Exception):
    """Anything stagetrace raises on purpose; its text says what, where and how to mend it."""


class InputError(StagetraceError):
    """Bad usage or bad input."""


class UnknownNameError(InputError):
    """A name that no part is filed under; the text offers the nearest known ones."""


class MissingExtraError(InputError):
    """A package that belongs to an extra is missing; the text holds the install command."""


class DataMissingError(InputError):
    """Files of a benchmark are not where they were looked for."""


class TraceFormatError(InputError):
    """A file of traces cannot be read; the text names file and line.

    Args:
        text: What, where and how to mend it.
        kind: Class of the fault, such as `unknown_format` or `limit_exceeded`; in strict mode the
            class of the finding.
    """

    def __init__(self, text: str, kind: str = "unknown_format") -> None:
        super().__init__(text)
        self.kind = kind


class VariantError(InputError):
    """A file of variants cannot be used; the text names file and line."""


class ModelWeightsMissingError(InputError):
    """The weights of a named model are not on this machine; nothing takes their place."""


class StoreError(StagetraceError):
    """The store cannot be written, or another run is using it."""


class EndpointError(StagetraceError):
    """A model endpoint is down or answers with an error; never a score."""


class PairingError(StagetraceError):
    """Outcomes that do not belong together were asked to be compared."""


class ShadowedRoomError(StagetraceError):
    """Another file on the import path hides one of our packages."""
