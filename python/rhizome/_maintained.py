# SPDX-License-Identifier: Apache-2.0
"""Results of algorithms that follow a graph: after a change they are repaired from what it changed."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from ._algorithms import BFS, SSSP, Components, Cores, Triangles, _sources, _split
from ._arrays import as_result
from ._graph import Graph

Found = tuple[dict[str, Any], dict[str, Any]]


class RankBound(NamedTuple):
    """Ranks of a graph that changes."""

    ranks: Any
    """float64; the sum is 1. 0 for erased vertices."""
    error: float
    """The L1 distance to the exact ranks is at most this."""
    converged: bool
    """Whether the error is at most the tolerance."""


def _pagerank(graph: Graph, damping: float = 0.85, tolerance: float = 1e-6, personalization: Any = None) -> dict[str, Any]:
    options: dict[str, Any] = {"damping": float(damping), "tolerance": float(tolerance)}
    if personalization is not None:
        ids, weights = _split(personalization)
        _sources(graph, ids, "personalization")
        options["teleport"], options["teleport-weights"] = ids, weights
    return options


def _search(graph: Graph, source: Any) -> dict[str, Any]:
    return {"source": _sources(graph, source, "source"), "parents": True}


def _nothing(graph: Graph) -> dict[str, Any]:
    return {}


def _ranks(found: Found) -> RankBound:
    return RankBound(found[1]["rank"], found[0]["error"], found[0]["converged"])


class _Kind(NamedTuple):
    core_name: str
    options: Callable[..., dict[str, Any]]
    result: Callable[[Found], Any]


_kinds = {
    "pagerank": _Kind("pagerank", _pagerank, _ranks),
    "weighted_pagerank": _Kind("weighted-pagerank", _pagerank, _ranks),
    "triangles": _Kind("local-triangles", _nothing, lambda found: Triangles(found[0]["count"], found[1]["triangles"])),
    "connected_components": _Kind("components", _nothing, lambda found: Components(found[1]["component"], found[0]["count"])),
    "core_numbers": _Kind("kcore", _nothing, lambda found: Cores(found[1]["core-number"], found[0]["largest"])),
    "bfs": _Kind("bfs", _search, lambda found: BFS(found[1]["level"], found[1]["parent"], found[0]["reached"])),
    "sssp": _Kind("sssp", _search, lambda found: SSSP(found[1]["distance"], found[1]["parent"], found[0]["reached"])),
}


class Maintained:
    """The result of an algorithm on a graph that changes (``rhizome.maintain``). Ends with ``close()``, at the end of a
    ``with`` block, or when nothing refers to it."""

    def __init__(self, graph: Graph, algorithm: str, options: dict[str, Any]):
        self._number = None
        self._graph = graph
        self._kind = _kinds[algorithm]
        self._algorithm = algorithm
        self._recomputed = False
        self._number = graph._core.maintain(self._kind.core_name, options)

    def update(self) -> Any:
        """The result for the graph as it is now: of the type that the algorithm's function returns (``RankBound`` for
        PageRank). Its arrays are copies. Cost: what repairing takes for the changes since the last update, or
        computing anew, if that is expected to take less time.

        Raises what the function raises, MemoryError among it; the next update then computes the result anew.
        """
        if self._number is None:
            raise ValueError("this result is closed")
        figures, arrays, self._recomputed = self._graph._core.update_result(self._kind.core_name, self._number)
        return self._kind.result((figures, {key: as_result(array) for key, array in arrays.items()}))

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def recomputed(self) -> bool:
        """Whether the last update computed the result anew instead of repairing it."""
        return self._recomputed

    def close(self) -> None:
        """Keeps the result no longer, and frees its memory."""
        if self._number is not None:
            number, self._number = self._number, None
            if not self._graph._core.closed:
                self._graph._core.stop_result(number)

    def __enter__(self) -> Maintained:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_number", None) is not None:
            self.close()

    def __repr__(self) -> str:
        return f"<rhizome.Maintained {self._algorithm}{' (closed)' if self._number is None else ''}>"


def maintain(graph: Graph, algorithm: str, **options: Any) -> Maintained:
    """Keeps the result of an algorithm up to date while the graph changes::

        triangles = rhizome.maintain(graph, "triangles")
        for batch in rhizome.stream("edges.txt", graph):
            print(triangles.update().count)

    Parameters
    ----------
    algorithm : str
        'pagerank' or 'weighted_pagerank' (options ``damping``, ``tolerance``, ``personalization``), 'triangles',
        'connected_components', 'core_numbers', 'bfs' or 'sssp' (option ``source``).

    Changes take a little longer while a result is kept, as they note what they change. Graphs of the default layout.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"a rhizome.Graph is wanted, not {type(graph).__name__}")
    kind = _kinds.get(algorithm) if isinstance(algorithm, str) else None
    if kind is None:
        raise ValueError(f"algorithm: one of {', '.join(map(repr, _kinds))} is wanted, not {algorithm!r}")
    try:
        made = kind.options(graph, **options)
    except TypeError as error:
        text = str(error)
        if "argument" in text and "()" in text:  # of Python, with the name of a function that nobody calls
            raise TypeError(f"maintain {algorithm!r}: {text[text.index('()') + 3:]}") from None
        raise
    return Maintained(graph, algorithm, made)
