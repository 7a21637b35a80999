"""A second look at the first documents of any retriever, by a model that reads them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assistants import encoders
from assistants.base import COMBINERS, Combiner, Opened, Shelf
from assistants.encoders import Encoder, Located
from assistants.encoding import TokenEncoder, hush, need_sentence_transformers
from assistants.passages import at_least_one, split
from assistants.retrieval import plus, sources_of, traced
from tracer.errors import InputError
from tracer.protocols import Retriever
from tracer.record import Recorder
from tracer.records import Passage
from tracer.wrap import Reranker, wrap_reranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 50
"""Documents that are looked at again, whatever k is, and the most that come back.

Source:
    Ours: the released scripts of Out of Style look at 100, which takes a minute a query on two
    cores with a model of this size.
"""
DEFAULT_MODEL = "maxsim-minilm"
_KEPT = 1_000
"""Passages whose token vectors are kept in memory, at about 200 KB each."""
_PAIR_BATCH = 16
_QUERY_TOKENS = 128
"""Room that a cross-encoder's window leaves to the query; its passages are cut to the rest."""


class Scorer(Protocol):
    """A model of relevance."""

    name: str

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, higher is better."""
        ...


def combine(others: Sequence[Opened], model: str, shelf: Shelf) -> Opened:
    """`rerank:OTHER`, with the packaged model, or `rerank:OTHER@MODEL`, with a name or a folder.

    Raises:
        InputError: The model is no re-ranker.
        ModelWeightsMissingError: Its weights are not on this machine.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    name = model or DEFAULT_MODEL
    need_sentence_transformers(f"the re-ranker {name!r}")
    located = _located(name, shelf)
    makes: dict[str, Callable[[Located], Scorer]] = {
        "cross-encoder": CrossEncoderScorer,
        "late interaction": MaxSim,
    }
    if located.encoder.role not in makes:
        names = [one.name for one in encoders.known("cross-encoder", "late interaction")]
        raise InputError(f"{name!r} is no re-ranker but {located.encoder.role}; {names} are")
    inner = others[0]
    kept: list[Scorer] = []

    def build(documents: Mapping[str, str]) -> Retriever:
        if not kept:
            kept.append(makes[located.encoder.role](located))
        return Reranked(inner.label, inner.build(documents), kept[0])

    called = f"rerank:{plus(others)}" + (f"@{model}" if model else "")
    sources = tuple(dict.fromkeys((*sources_of(others), located.source)))
    return Opened(called, build, sources, called)


RERANK = COMBINERS.add("rerank")(Combiner("bm25", combine))


def _located(name: str, shelf: Shelf) -> Located:
    """The model of a name, or the cross-encoder in a folder."""
    folder = Path(name)
    if name in [one.name for one in encoders.known()] or not folder.is_dir():
        return encoders.locate(name, shelf.places)
    return encoders.in_folder(Encoder(folder.name, "cross-encoder", folder.name, 512, ""), folder)


class Reranked:
    """The first documents of a retriever in the order of a model's scores, ties by id."""

    def __init__(self, label: str, first: Retriever, scorer: Scorer) -> None:
        self._label = label
        self._first = first
        self._scorer = scorer

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """At most `k` documents, and at most as many as are looked at again."""
        at_least_one(k, "rerank")
        return self._rank(query, self._first(query, DEPTH), k)

    def _rank(self, query: str, passages: Sequence[Passage], k: int) -> Sequence[Passage]:
        scores = self._scorer.scores(query, [passage.text or "" for passage in passages])
        ranked = [Passage(p.doc_id, s, p.text) for p, s in zip(passages, scores, strict=True)]
        return sorted(ranked, key=lambda p: (-(p.score or 0.0), p.doc_id))[:k]

    def traced(self, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
        """The same, with a span for the first retrieval and one for the new order."""
        del ranker
        first = traced(self._first, recorder, ranker=self._label, data_source=data_source)
        rank: Reranker = wrap_reranker(self._rank, recorder, model=self._scorer.name)

        def retrieve(query: str, k: int) -> Sequence[Passage]:
            at_least_one(k, "rerank")
            return rank(query, first(query, DEPTH), k)

        return retrieve


class MaxSim:
    """For each token of the query its best match in the document; the mean of these.

    A long document counts by its best passage.

    Source:
        The late interaction of ColBERT (Khattab and Zaharia 2020), over token vectors of MiniLM,
        which was not trained for it: ours, a stand-in named so and no cross-encoder.
    """

    def __init__(self, located: Located) -> None:
        self.name = located.encoder.shown
        self._encoder = TokenEncoder(located)
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score in [-1, 1] a text."""
        cut = [self._encoder.cut(text) for text in texts]
        self._keep([piece for pieces in cut for piece in pieces])
        asked = self._encoder.tokens([query])[0]
        found = [max(self._match(asked, piece) for piece in pieces) for pieces in cut]
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found

    def _keep(self, pieces: Sequence[str]) -> None:
        for piece in pieces:
            if piece in self._kept:
                self._kept.move_to_end(piece)
        missing = [piece for piece in dict.fromkeys(pieces) if piece not in self._kept]
        if missing:
            for piece, tokens in zip(missing, self._encoder.tokens(missing), strict=True):
                self._kept[piece] = tokens.astype("float16")

    def _match(self, asked: NDArray[np.float32], piece: str) -> float:
        tokens = self._kept[piece].astype("float32")
        if not len(asked) or not len(tokens):
            return -1.0
        return float((asked @ tokens.T).max(axis=1).mean())


class CrossEncoderScorer:
    """A model that reads query and passage together; a long document counts by its best passage.

    Source:
        Out of Style, section 4 and its released re-ranking script at 9da5447.
    """

    def __init__(self, located: Located) -> None:
        self.name = located.encoder.shown
        self._located = located
        self._cutter = TokenEncoder(located)
        self._loaded: Any = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's own score for each text."""
        most = self._located.encoder.max_tokens - _QUERY_TOKENS
        cut = [split(text, self._cutter.offsets, most) for text in texts]
        pairs = [(query, piece) for pieces in cut for piece in pieces]
        if not pairs:
            return []
        found = self._model().predict(pairs, batch_size=_PAIR_BATCH, show_progress_bar=False)
        every = iter(found.tolist())
        return [max(next(every) for _ in pieces) for pieces in cut]

    def _model(self) -> Any:
        from sentence_transformers import CrossEncoder

        if self._loaded is None:
            hush()
            self._loaded = CrossEncoder(
                str(self._located.folder),
                device="cpu",
                local_files_only=True,
                max_length=self._located.encoder.max_tokens,
            )
        return self._loaded
