"""Logs of Inspect AI to spans: a sample is a trace, an epoch a replicate.

A key of the sample's metadata, `condition` unless the report names another, gives the condition.

Source:
    UKGovernmentBEIS/inspect_ai 0.3.285 `log/_log.py`, log version 2: one JSON object, or a zip
    archive (`.eval`) with `header.json` and one file a sample, packed with deflate or zstd.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Final

from tracer import attributes as names
from tracer.formats.base import FORMATS, JsonFormat, nanoseconds
from tracer.formats.json_text import BadJsonError, read_json
from tracer.formats.report import Report
from tracer.formats.source import Limits, unpack_record
from tracer.limits import json_text
from tracer.records import Json
from tracer.stored import STATUS_ERROR, STATUS_OK, StoredSpan, Value

_ATTACHMENT: Final = "attachment://"
_ZSTD: Final = 93
_LOCAL_HEADER: Final = 30


def _recognises(record: Json) -> bool:
    return (
        isinstance(record, dict)
        and isinstance(record.get("eval"), dict)
        and "version" in record
        and "status" in record
    )


def _spans(record: Mapping[str, Json], report: Report) -> Iterator[StoredSpan]:
    for sample in record.get("samples") or ():
        if isinstance(sample, dict):
            yield from _Sample(record["eval"], sample, report).spans()


FORMATS.add("inspect-log")(JsonFormat("Inspect AI log", _recognises, _spans))


def archive_spans(file: IO[bytes], report: Report, limits: Limits) -> Iterator[StoredSpan]:
    """The spans of an `.eval` archive.

    Raises:
        TraceFormatError: It is another archive, or damaged.
    """
    source: IO[bytes] = file if file.seekable() else io.BytesIO(file.read())
    try:
        archive = zipfile.ZipFile(source)
        header = _member(archive, source, "header.json", report, limits)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError) as error:
        report.refuse("unknown_format", f"a zip archive that is no whole Inspect log ({error})")
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        report.refuse("unknown_format", "a zip archive that is no Inspect log")
    for number, info in enumerate(archive.infolist(), 1):
        if not info.filename.startswith("samples/") or not info.filename.endswith(".json"):
            continue
        report.at(report.file, number)
        try:
            sample = _member(archive, source, info.filename, report, limits)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, zlib.error) as error:
            report.bad_line("bad_json_line", f"{info.filename} cannot be read ({error})")
            continue
        report.lines += 1
        if isinstance(sample, dict):
            yield from _Sample(header["eval"], sample, report).spans()


def _member(
    archive: zipfile.ZipFile, file: IO[bytes], name: str, report: Report, limits: Limits
) -> Json:
    info = archive.getinfo(name)
    if info.file_size > limits.ratio * max(info.compress_size, 50_000):
        report.refuse(
            "limit_exceeded", f"{name} unpacks {info.file_size} bytes (limit ratio, {limits.ratio})"
        )
    if info.compress_type != _ZSTD:
        data = archive.read(info)
    else:
        file.seek(info.header_offset)
        head = file.read(_LOCAL_HEADER)
        skipped = sum(struct.unpack("<HH", head[26:30]))
        file.seek(info.header_offset + _LOCAL_HEADER + skipped)
        data = unpack_record(file.read(info.compress_size), report, limits)
    try:
        return read_json(data, report)
    except BadJsonError as error:
        raise ValueError(str(error)) from None


class _Sample:
    """One sample of a log as the spans of one trace."""

    def __init__(
        self, task: Mapping[str, Json], sample: Mapping[str, Json], report: Report
    ) -> None:
        self.sample = sample
        self.report = report
        texts = sample.get("attachments")
        self.attachments: Mapping[str, Json] = texts if isinstance(texts, dict) else {}
        metadata = sample.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        epoch = sample.get("epoch")
        self.identity: dict[str, Value] = {
            names.RUN_ID: str(task.get("run_id") or task.get("eval_id") or ""),
            names.BENCHMARK: str(task.get("task") or ""),
            names.ITEM_ID: str(sample.get("id") or ""),
            names.CONDITION_NAME: str(metadata.get(report.condition_key) or "base"),
            names.REPLICATE: epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        }
        if isinstance(metadata.get("cluster"), str):
            self.identity[names.CLUSTER] = metadata["cluster"]
        self.model = str(task.get("model") or "")
        seed = json_text(
            [task.get("eval_id"), sample.get("uuid"), sample.get("id"), sample.get("epoch")]
        )
        self.digest = hashlib.sha256(seed.encode()).hexdigest()
        self.count = 0

    def spans(self) -> Iterator[StoredSpan]:
        """The sample's own span, then one for each model and tool event in their order."""
        sample = self.sample
        output = sample.get("output")
        error = sample.get("error")
        answer = output.get("completion") if isinstance(output, dict) else None
        yield self._span(
            "inspect sample",
            sample.get("started_at"),
            sample.get("completed_at"),
            {
                names.SPAN_KIND: "AGENT",
                names.AGENT_NAME: self.identity[names.BENCHMARK],
                names.INPUT_VALUE: self._input(),
                names.OUTPUT_VALUE: self._whole(answer) if isinstance(answer, str) else None,
            },
            error,
        )
        events = sample.get("events")
        for event in events if isinstance(events, list) else ():
            if not isinstance(event, dict):
                continue
            if event.get("event") == "model":
                yield self._model(event)
            elif event.get("event") == "tool":
                yield self._tool(event)

    def _span(
        self, name: str, started: Json, ended: Json, attributes: dict[str, Value], error: Json
    ) -> StoredSpan:
        self.report.spans += 1
        number = self.count
        self.count += 1
        self.report.runs.add(str(self.identity[names.RUN_ID]))
        message = error.get("message") if isinstance(error, dict) else error
        given = {key: value for key, value in attributes.items() if value is not None}
        if message:
            kind = error.get("type") if isinstance(error, dict) else None
            if isinstance(kind, str):
                given[names.ERROR_TYPE] = kind
        return StoredSpan(
            trace_id=self.digest[:32],
            span_id=self._id(number),
            name=name,
            parent_id=self._id(0) if number else "",
            kind=1,
            started_ns=nanoseconds(started) or 0,
            ended_ns=nanoseconds(ended),
            attributes={**self.identity, names.SEQUENCE: number, **given},
            status=STATUS_ERROR if message else STATUS_OK,
            status_message=str(message)[:2000] if message else "",
            resource={"service.name": "inspect"},
            scope="inspect_ai",
        )

    def _id(self, number: int) -> str:
        return hashlib.sha256(f"{self.digest}/{number}".encode()).hexdigest()[:16]

    def _model(self, event: Mapping[str, Json]) -> StoredSpan:
        output = event.get("output")
        output = output if isinstance(output, dict) else {}
        usage = output.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        messages = [
            self._message(choice["message"])
            for choice in output.get("choices") or ()
            if isinstance(choice, dict) and isinstance(choice.get("message"), dict)
        ]
        return self._span(
            f"chat {self.model}",
            event.get("timestamp"),
            event.get("completed") or event.get("timestamp"),
            {
                names.SPAN_KIND: "LLM",
                names.REQUEST_MODEL: str(event.get("model") or self.model),
                names.OUTPUT_MESSAGES: messages or None,
                names.INPUT_TOKENS: usage.get("input_tokens"),
                names.OUTPUT_TOKENS: usage.get("output_tokens"),
            },
            event.get("error"),
        )

    def _message(self, message: Mapping[str, Json]) -> dict[str, Json]:
        content = message.get("content")
        return {
            "role": message.get("role", "assistant"),
            "content": self._whole(content) if isinstance(content, str) else content,
            "tool_calls": [
                {
                    "id": call.get("id"),
                    "name": call.get("function"),
                    "arguments": call.get("arguments"),
                }
                for call in message.get("tool_calls") or ()
                if isinstance(call, dict)
            ],
        }

    def _tool(self, event: Mapping[str, Json]) -> StoredSpan:
        result = event.get("result")
        return self._span(
            f"execute_tool {event.get('function') or ''}",
            event.get("timestamp"),
            event.get("completed") or event.get("timestamp"),
            {
                names.SPAN_KIND: "TOOL",
                names.TOOL_NAME: str(event.get("function") or ""),
                names.TOOL_CALL_ID: str(event.get("id") or ""),
                names.TOOL_ARGUMENTS: json_text(event.get("arguments")),
                names.TOOL_RESULT: self._whole(result)
                if isinstance(result, str)
                else json_text(result),
            },
            event.get("error"),
        )

    def _input(self) -> str:
        given = self.sample.get("input")
        if isinstance(given, str):
            return self._whole(given)
        texts = [
            self._whole(message["content"])
            for message in (given if isinstance(given, list) else ())
            if isinstance(message, dict)
            and message.get("role") == "user"
            and isinstance(message.get("content"), str)
        ]
        return texts[-1] if texts else ""

    def _whole(self, text: str) -> str:
        """A text; a long one stands among the attachments."""
        if text.startswith(_ATTACHMENT):
            found = self.attachments.get(text.removeprefix(_ATTACHMENT))
            return found if isinstance(found, str) else text
        return text
