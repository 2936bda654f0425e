# SPDX-License-Identifier: Apache-2.0
"""Algorithms on a graph as it is now.

Their arrays have an element per id of a vertex. They are NumPy arrays of a graph on the CPU, and ``rhizome.Array`` on a
GPU, which other libraries take without a copy; ``.numpy()`` copies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ._arrays import as_result
from ._graph import Graph


class PageRank(NamedTuple):
    ranks: Any
    """float64 or float32; the sum is 1. 0 for erased vertices."""
    iterations: int
    residual: float
    """L1 distance of the last two iterates."""
    converged: bool
    """Whether the residual is at most the tolerance."""


class Triangles(NamedTuple):
    count: int  # type: ignore[assignment] # instead of the method of tuples
    """Triangles of the graph."""
    per_vertex: Any
    """Triangles of which each vertex is a corner; int64."""


class BFS(NamedTuple):
    levels: Any
    """Edges from the nearest source; int32, -1 where no path leads."""
    parents: Any
    """The vertex before on such a path, of a source itself; int32, -1: none. None unless asked for."""
    reached: int


class SSSP(NamedTuple):
    distances: Any
    """Least sum of weights from a source. Floating weights: inf where no path leads; whole weights: int64, -1."""
    parents: Any
    """As ``BFS.parents``."""
    reached: int


class Components(NamedTuple):
    labels: Any
    """The least id of the vertex's component; int32, -1 for erased vertices."""
    count: int  # type: ignore[assignment] # instead of the method of tuples


class Cores(NamedTuple):
    numbers: Any
    """Core number of each vertex; int32."""
    largest: int


def _run(graph: Graph, name: str, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    if not isinstance(graph, Graph):
        raise TypeError(f"a rhizome.Graph is wanted, not {type(graph).__name__}")
    figures, arrays = graph._core.run(name, {key.replace("_", "-"): value for key, value in options.items()})
    return figures, {key: as_result(array) for key, array in arrays.items()}


def _sources(graph: Graph, source: Any, what: str) -> Any:
    """One id, or several."""
    if not isinstance(graph, Graph):
        return source
    try:
        source = [source.__index__()]
    except (AttributeError, TypeError):
        pass
    if source is None:
        raise TypeError(f"{what}: an id or an array of ids is wanted")
    try:
        graph.degrees(source)
    except (IndexError, TypeError, ValueError) as error:  # an id that is no vertex, for example
        raise type(error)(str(error).replace("ids", what, 1)) from None
    return source


def pagerank(
    graph: Graph,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    *,
    personalization: Any = None,
    start: Any = None,
    weighted: bool = False,
    dtype: str = "float64",
) -> PageRank:
    """PageRank: the rank of a vertex is what its in-neighbours give it, each in equal parts to all it points to.

    Parameters
    ----------
    damping : float
        Share of the rank that goes along edges; the rest is spread over all vertices. In [0, 1).
    tolerance : float
        Stops when the L1 norm of a step's change is at most this.
    max_iterations : int
    personalization : dict or (ids, weights), optional
        Vertices that the rest is spread over, and how often in relation to each other; None: all vertices.
    start : array of float64, optional
        Ranks to start from, such as those before a batch; None: all equal.
    weighted : bool
        A vertex gives in proportion to the weights of its edges, of which none may be negative.
    dtype : 'float64' or 'float32'
        What it computes in, and the type of the ranks. Always float64 if ``weighted``.
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype: 'float32' or 'float64' are wanted, not {dtype!r}")
    tolerance = float(tolerance) or 5e-324  # with 0, nothing could interrupt it
    options: dict[str, Any] = {"damping": float(damping), "tolerance": tolerance, "max-iterations": max_iterations}
    if personalization is not None:
        ids, weights = _split(personalization)
        _sources(graph, ids, "personalization")
        options["teleport"], options["teleport-weights"] = ids, weights
    if start is not None:
        if not hasattr(start, "__len__"):
            raise TypeError(f"start: an array with a rank for each id is wanted, not {type(start).__name__}")
        if len(start) > graph.id_bound:
            raise ValueError(f"start: {len(start)} ranks for a graph of {graph.id_bound} vertices")
        options["start"] = start
    if not weighted:
        options["single-precision"] = dtype == "float32"
    elif dtype != "float64":
        raise ValueError("weighted: ranks are computed in float64 only")
    figures, arrays = _run(graph, "weighted-pagerank" if weighted else "pagerank", **options)
    return PageRank(arrays["rank"], figures["iterations"], figures["residual"], figures["converged"])


def _split(personalization: Any) -> tuple[Any, Any]:
    if isinstance(personalization, Mapping):
        personalization = list(personalization), [float(each) for each in personalization.values()]
    try:
        ids, weights = personalization
        empty = len(ids) == 0
    except (TypeError, ValueError):
        raise TypeError("personalization: a dict or a pair of arrays (ids, weights) is wanted") from None
    if empty:
        raise ValueError("personalization: it names no vertex; None stands for all")
    return ids, weights


def triangles(graph: Graph) -> int:
    """The number of triangles. Directions and self-loops do not matter."""
    return _run(graph, "triangles")[0]["count"]


def local_triangles(graph: Graph) -> Triangles:
    """The number of triangles, and of each vertex the number of those that it is a corner of."""
    figures, arrays = _run(graph, "local-triangles")
    return Triangles(figures["count"], arrays["triangles"])


def bfs(graph: Graph, source: Any, *, parents: bool = False) -> BFS:
    """Breadth-first search along edges from a vertex, or from several (an array of ids)."""
    figures, arrays = _run(graph, "bfs", source=_sources(graph, source, "source"), parents=bool(parents))
    return BFS(arrays["level"], arrays.get("parent"), figures["reached"])


def sssp(graph: Graph, source: Any, *, delta: float = 0.0, parents: bool = False) -> SSSP:
    """Shortest paths by the weights of edges, from a vertex or from several. No weight may be negative.

    ``delta``: width of the distances that are settled together; 0: chosen by the graph.
    """
    figures, arrays = _run(graph, "sssp", source=_sources(graph, source, "source"), delta=float(delta), parents=bool(parents))
    return SSSP(arrays["distance"], arrays.get("parent"), figures["reached"])


def connected_components(graph: Graph) -> Components:
    """Connected components; of a directed graph the weakly connected ones."""
    figures, arrays = _run(graph, "components")
    return Components(arrays["component"], figures["count"])


def core_numbers(graph: Graph) -> Cores:
    """The core number of each vertex: the largest k such that it lies in a part where all have k neighbours."""
    figures, arrays = _run(graph, "kcore")
    return Cores(arrays["core-number"], figures["largest"])
