"""Speed of our retrievers beside the libraries they stand on: the same texts, both in one run.

    python benchmarks/retriever_speed.py                    # BM25 over 20,000 mails
    python benchmarks/retriever_speed.py --encoders         # dense and sparse encoding, too
    python benchmarks/retriever_speed.py --encoders --passages 1700 --mails 2000

The mails are drawn from a vocabulary with Zipf's law, a query is eight rarer words of one of them.
Every figure is CPU time of this process, ours over the library's; both take turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assistants import encoders
from assistants.base import Places
from assistants.retrievers.bm25 import K1, B, bm25_all_words
from stagetrace import settings

ROUNDS = 5
CEILING = 1.10
LEAST_FROM_CACHE = 20.0
VOCABULARY = 60_000


def main() -> None:
    """Print a line for each comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mails", type=int, default=20_000, help="Mails for BM25.")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--encoders", action="store_true", help="Needs the extra `retrieval`.")
    parser.add_argument("--passages", type=int, default=300, help="Texts that are encoded.")
    options = parser.parse_args()
    rng = np.random.default_rng(5)
    mails = draw(rng, options.mails, words=180)
    lexical(mails, ask(rng, mails, options.queries))
    if options.encoders:
        texts = draw(rng, options.passages, words=60)
        for name in ("minilm", "splade-tiny"):
            encoding(name, texts)


def draw(rng: np.random.Generator, count: int, words: int) -> list[str]:
    """Texts of random length around `words`."""
    weights = 1.0 / (np.arange(VOCABULARY) + 2.7) ** 1.05
    lengths = np.maximum(8, rng.lognormal(np.log(words) - 0.4, 0.9, size=count)).astype(int)
    drawn = rng.choice(VOCABULARY, size=int(lengths.sum()), p=weights / weights.sum())
    ends = np.cumsum(lengths)
    return [
        " ".join(f"w{word}" for word in drawn[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def ask(rng: np.random.Generator, mails: Sequence[str], count: int) -> list[str]:
    """Queries of eight of the rarer words of a mail."""
    queries = []
    for place in rng.choice(len(mails), size=min(count, len(mails)), replace=False):
        rare = sorted(set(mails[place].split()), key=lambda word: -int(word[1:]))[:40]
        queries.append(" ".join(rng.choice(rare, size=min(8, len(rare)), replace=False)))
    return queries


def lexical(mails: Sequence[str], queries: Sequence[str]) -> None:
    """BM25: index and queries, ours and the library's, and whether both find the same."""
    import bm25s

    documents = {f"m{number:06d}": text for number, text in enumerate(mails)}

    def direct_index() -> Any:
        index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="auto")
        index.index(bm25s.tokenize(list(mails), stopwords=[], show_progress=False),
                    show_progress=False)  # fmt: skip
        return index

    index, ours = direct_index(), bm25_all_words(documents)

    def direct_queries() -> list[float]:
        best = []
        for query in queries:
            words = bm25s.tokenize([query], stopwords=[], return_ids=False, show_progress=False)
            _, scores = index.retrieve(words, k=5, show_progress=False)
            best.append(float(scores[0][0]))
        return best

    def our_queries() -> list[float]:
        return [ours(query, 5)[0].score for query in queries]

    if not np.allclose(direct_queries(), our_queries(), rtol=1e-5):
        raise SystemExit("the two do not find the same: nothing is compared")
    say("bm25 index", *turns(lambda: bm25_all_words(documents), direct_index), ceiling=CEILING)
    say("bm25 queries", *turns(our_queries, direct_queries), ceiling=CEILING)


def encoding(name: str, texts: Sequence[str]) -> None:
    """One encoder: batches of texts without a cache, ours and the library's, then from a cache."""
    from assistants.encoding import DENSE_BATCH, SPARSE_BATCH, DenseEncoder, SparseTextEncoder, hush

    located = encoders.locate(name, Places(folders=settings.model_folders()))
    hush()
    sparse = located.encoder.role == "sparse"
    folder = str(located.folder)
    if sparse:
        from sentence_transformers import SparseEncoder

        model: Any = SparseEncoder(folder, device="cpu", local_files_only=True)
    else:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(folder, device="cpu", local_files_only=True)
    batch = SPARSE_BATCH if sparse else DENSE_BATCH

    def direct() -> Any:
        return model.encode(list(texts), batch_size=batch, show_progress_bar=False)

    def opened(vectors: Path | None) -> Callable[[], Any]:
        encoder: Any = (SparseTextEncoder if sparse else DenseEncoder)(located, vectors)
        return lambda: (encoder.vectors if sparse else encoder.documents)(list(texts))

    plain = opened(None)
    plain(), direct()
    say(f"{name} encoding", *turns(plain, direct, rounds=3), ceiling=CEILING)
    with tempfile.TemporaryDirectory() as place:
        cached = opened(Path(place))
        cached()
        first, again = turns(plain, cached, rounds=3)
        ratio = statistics.median(one / two for one, two in zip(first, again, strict=True))
        mark = "" if ratio >= LEAST_FROM_CACHE else f"  below {LEAST_FROM_CACHE:g}"
        print(f"{name} from the cache: {ratio:.0f} x faster than encoding{mark}")


def turns(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = ROUNDS
) -> tuple[list[float], list[float]]:
    """CPU seconds of both, measured in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for place, work in enumerate((ours, theirs)):
            start = time.process_time()
            work()
            taken[place].append(time.process_time() - start)
    return taken


def say(what: str, ours: Sequence[float], theirs: Sequence[float], *, ceiling: float) -> None:
    """One line: the ratio of the medians' pairs."""
    ratio = statistics.median(one / two for one, two in zip(ours, theirs, strict=True))
    mark = "" if ratio <= ceiling else f"  over {ceiling:g}"
    print(
        f"{what}: {ratio:.2f} x the library's CPU time "
        f"({statistics.median(ours):.2f} s, {statistics.median(theirs):.2f} s){mark}"
    )


if __name__ == "__main__":
    main()
