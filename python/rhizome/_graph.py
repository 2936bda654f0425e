# SPDX-License-Identifier: Apache-2.0
"""Graph: a dynamic graph, and how one is made of what other libraries have."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arrays import as_result, like, to_numpy
from ._engine import cuda_unusable_because, engine

if TYPE_CHECKING:
    from ._core import Report, VertexReport


class Neighbors(NamedTuple):
    """Lists of neighbours, one after the other: list ``i`` is ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: Any
    """One more than there are lists; int64."""
    indices: Any
    """Ids of the neighbours; int32."""
    weights: Any
    """Weights of the edges to them; ``None`` in a graph without weights."""


class Snapshot(NamedTuple):
    """A copy of a graph as compressed sparse rows. It does not change when the graph does."""

    indptr: Any
    """Row ``v`` is ``indices[indptr[v]:indptr[v + 1]]``; int64, one more than there are ids of vertices."""
    indices: Any
    """Neighbours of each vertex, ascending; int32. An undirected edge is in the rows of both ends."""
    weights: Any
    """Weights of the edges; ``None`` in a graph without weights."""
    directed: bool

    def _on_host(self) -> tuple[Any, Any, Any]:
        import numpy as np

        def copied(each: Any) -> Any:
            return each if each is None or isinstance(each, np.ndarray) else to_numpy(each)

        return copied(self.indptr), copied(self.indices), copied(self.weights)

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csr_array`` on the host; edges without weights count 1."""
        import numpy as np
        import scipy.sparse

        indptr, indices, weights = self._on_host()
        size = len(indptr) - 1
        data = np.ones(len(indices), np.float64) if weights is None else weights
        return scipy.sparse.csr_array((data, indices, indptr), shape=(size, size))

    def to_networkx(self) -> Any:
        """A ``networkx.Graph`` or ``DiGraph`` whose nodes are the ids; weights are the attribute ``weight``."""
        import networkx as nx
        import numpy as np

        indptr, indices, weights = self._on_host()
        size = len(indptr) - 1
        sources = np.repeat(np.arange(size), np.diff(indptr))
        kept = slice(None) if self.directed else sources <= indices
        graph = nx.DiGraph() if self.directed else nx.Graph()
        graph.add_nodes_from(range(size))
        ends = zip(sources[kept].tolist(), indices[kept].tolist())
        if weights is None:
            graph.add_edges_from(ends)
        else:
            graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends, weights[kept].tolist()))
        return graph


def _device(device: str | int | None) -> tuple[bool, int]:
    """Whether it is a GPU, and its number."""
    if device is None:
        return cuda_unusable_because() == "", 0
    if isinstance(device, int) and not isinstance(device, bool):
        return _device(f"cuda:{device}")
    if device in ("cpu", "cuda"):
        on_cuda, number = device == "cuda", 0
    elif isinstance(device, str) and device.startswith("cuda:") and device[5:].isdecimal():
        on_cuda, number = True, min(int(device[5:]), 2**31 - 1)
    else:
        raise ValueError(f"device: 'cpu', 'cuda', 'cuda:N' or None are wanted, not {device!r}")
    if on_cuda and (reason := cuda_unusable_because()):
        raise RuntimeError(f"device {device!r}: {reason}")
    return on_cuda, number


def _index(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: a whole number is wanted, not {type(value).__name__}") from None


def _count(value: Any, what: str) -> int:
    number = _index(value, what)
    if not 0 <= number < 2**63:
        raise ValueError(f"{what}: a number of at least 0{'' if number < 0 else ', less than 2**63,'} is wanted, not {number}")
    return number


class Graph:
    """A graph whose edges come and go in batches.

    Vertices are the ids 0 to ``vertices - 1``. In an undirected graph an edge is a pair without order. There are no
    parallel edges.

    Parameters
    ----------
    vertices : int
        Number of vertices at the start; at most 2**31 - 1 at any time.
    directed : bool
    weights : None, 'float32', 'float64' or 'int32'
        Type of the weights of edges.
    device : None, 'cpu', 'cuda', 'cuda:N' or N
        Where the graph lies. None: the first GPU if one can be used, else the CPU.
    memory_limit : int, optional
        Bytes that the graph may take there. A batch that needs more raises MemoryError and changes nothing.
    allocator, layout : str
        How the memory of neighbours is managed: names of ``rhizome info``.
    in_edges : bool
        Directed graphs: also keep the edges into each vertex. PageRank and searches are faster then.
    self_loops : bool
        False: self-loops are refused, and counted in the report.
    compacts : bool
        False: the graph keeps memory that batches have freed. By default it gives it back by itself after a batch,
        once it takes more than twice the memory of compressed sparse rows. See ``compact``.
    threads : int, optional
        Threads of a graph on the CPU; None: one for each core.

    Notes
    -----
    Every call waits until it is done. Arrays that lie on the graph's GPU are read there, after the work that their
    stream has been given (CuPy's and PyTorch's current stream); arrays on the host are copied there. While a call
    runs, other Python threads go on. Calls for one graph from several threads come one after another.
    """

    __slots__ = ("_core", "_names", "__weakref__")

    def __init__(
        self,
        vertices: int = 0,
        directed: bool = False,
        weights: str | None = None,
        device: str | int | None = None,
        memory_limit: int | None = None,
        allocator: str = "default",
        layout: str = "default",
        *,
        in_edges: bool = False,
        self_loops: bool = True,
        compacts: bool = True,
        threads: int | None = None,
    ):
        on_cuda, number = _device(device)
        if in_edges and not directed:
            raise ValueError("in_edges: an undirected graph has them anyway")
        if weights is not None and not isinstance(weights, str):
            weights = _name_of_dtype(weights)
        self._names: list[Any] | Callable[[], list[Any] | None] | None = None
        self._core = engine().Graph(
            _count(vertices, "vertices"),
            bool(directed),
            weights or "",
            on_cuda,
            number,
            _count(memory_limit or 0, "memory_limit"),
            "" if allocator == "default" else allocator,
            "" if layout == "default" else layout,
            bool(in_edges),
            bool(self_loops),
            bool(compacts),
            _count(threads or 0, "threads"),
        )

    # What it is.

    @property
    def num_vertices(self) -> int:
        """Number of vertices, without those that were erased."""
        return self._core.num_vertices

    @property
    def id_bound(self) -> int:
        """All ids are less than this; arrays with an element per vertex have this length."""
        return self._core.id_bound

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return self._core.num_edges

    @property
    def directed(self) -> bool:
        return self._core.directed

    @property
    def weights(self) -> str | None:
        """Type of the weights: 'float64' and so on, or None."""
        return self._core.weights

    @property
    def device(self) -> str:
        """Where it lies: 'cpu' or 'cuda:N'."""
        return self._core.device

    @property
    def allocator(self) -> str:
        return self._core.allocator

    @property
    def layout(self) -> str:
        return self._core.layout

    @property
    def names(self) -> list[Any] | None:
        """What the file, stream or NetworkX graph calls the vertices, by id; None: the ids themselves."""
        if callable(self._names):
            self._names = self._names()
        return self._names

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # also without vertices

    def __contains__(self, item: Any) -> bool:
        """Whether it has the edge ``(u, v)``, or the vertex ``v``."""
        if isinstance(item, tuple):
            if len(item) != 2:
                raise TypeError(f"an edge is a pair of ids, not {len(item)} things")
            u, v = (_index(each, "an id of an edge") for each in item)
            return 0 <= min(u, v) and max(u, v) < self.id_bound and bool(self.has_edges([u], [v])[0])
        id = _index(item, "an id")
        return 0 <= id < self.id_bound and int(self.degrees([id])[0]) >= 0

    def __repr__(self) -> str:
        if self._core.closed:
            return "<rhizome.Graph, closed>"
        weights = f", {self.weights} weights" if self.weights else ""
        kind = "directed" if self.directed else "undirected"
        return f"<rhizome.Graph, {kind}, {self.num_vertices} vertices, {self.num_edges} edges{weights}, on {self.device}>"

    # Changing it.

    def insert(self, src: Any, dst: Any, weights: Any = None) -> Report:
        """Inserts the edges ``src[i] -> dst[i]``, as one batch.

        Parameters
        ----------
        src, dst : array of int32, uint32, int64 or uint64, shape (n,)
            On the host, or on the graph's GPU.
        weights : array, shape (n,)
            One for each edge, if the graph has weights. An edge that is there already gets the new one. If the batch
            has an edge several times, its last weight counts.

        Returns
        -------
        Report
            How many were inserted, were there already, are repeated.

        Raises
        ------
        IndexError
            An id is no vertex: nothing has changed.
        MemoryError
            The memory does not suffice: nothing has changed. The text says how much is needed.
        """
        return self._core.insert(src, dst, weights)

    def erase(self, src: Any, dst: Any) -> Report:
        """Erases the edges ``src[i] -> dst[i]``, as one batch; see ``insert``. Absent edges are counted."""
        return self._core.erase(src, dst)

    def add_vertices(self, count: int) -> None:
        """Makes ``count`` vertices with the ids from ``id_bound`` on."""
        self._core.add_vertices(_count(count, "count"))

    def insert_vertices(self, count: int) -> Any:
        """Makes ``count`` vertices, of ids of erased vertices first. Returns the ids, int32."""
        return as_result(self._core.insert_vertices(_count(count, "count")))

    def erase_vertices(self, ids: Any) -> VertexReport:
        """Erases vertices with all their edges."""
        return self._core.erase_vertices(ids)

    # Asking it. Results are arrays of the library of the first argument.

    def has_edges(self, src: Any, dst: Any) -> Any:
        """Whether there are the edges ``src[i] -> dst[i]``: array of bool, shape (n,)."""
        return like(self._core.has_edges(src, dst), src)

    def edge_weights(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """The weights of edges, 0 for absent ones, and which of them are present (bool)."""
        weights, present = self._core.edge_weights(src, dst)
        return like(weights, src), like(present, src)

    def degrees(self, ids: Any = None) -> Any:
        """Number of neighbours of each vertex; of all vertices without ``ids``. int32; -1 for an erased vertex
        that ``ids`` names."""
        found = self._core.degrees(ids)
        return as_result(found) if ids is None else like(found, ids)

    def neighbors(self, ids: Any) -> Neighbors:
        """The neighbours of each of these vertices (of a directed graph, along its edges). Ids may repeat."""
        indptr, indices, weights = self._core.neighbors(ids)
        return Neighbors(like(indptr, ids), like(indices, ids), None if weights is None else like(weights, ids))

    def snapshot(self) -> Snapshot:
        """A copy as compressed sparse rows: NumPy arrays of a graph on the CPU, ``rhizome.Array`` on a GPU."""
        indptr, indices, weights = self._core.snapshot()
        return Snapshot(
            as_result(indptr), as_result(indices), None if weights is None else as_result(weights), self.directed
        )

    def to_scipy(self) -> Any:
        """``snapshot().to_scipy()``: a ``scipy.sparse.csr_array``."""
        return self.snapshot().to_scipy()

    def to_networkx(self) -> Any:
        """A NetworkX graph; nodes have their ``names`` if there are any."""
        graph = self.snapshot().to_networkx()
        if (names := self.names) is not None:
            import networkx as nx

            graph = nx.relabel_nodes(graph, dict(enumerate(names)))
        return graph

    def memory(self) -> dict[str, int]:
        """Bytes that the graph holds: 'total', and what it consists of. 'compactable' is about what ``compact`` gives back."""
        return self._core.memory()

    def compact(self, most_moved_bytes: int | None = None) -> dict[str, int]:
        """Moves edges together and gives free memory back to the GPU or the operating system.

        The edges stay as they are. Other graphs and programs can use the memory; batches that insert take it again when
        they need it. A graph in another layout than the default one, or over another allocator than an ouroboros, stays
        as it is.

        Parameters
        ----------
        most_moved_bytes : int, optional
            Copies at most so many bytes, so that the call takes less time. None: no limit.

        Returns
        -------
        dict
            Bytes: 'moved', 0 if nothing was left to move within the limit, and 'returned'.

        Raises
        ------
        MemoryError
            There is no memory for the plan of the moves. No edge is lost.
        """
        return self._core.compact(
            2**64 - 1 if most_moved_bytes is None else _count(most_moved_bytes, "most_moved_bytes")
        )

    def validate(self) -> list[str]:
        """A line for each broken invariant of the structure: empty if it is sound. For tests: takes long."""
        return self._core.validate()

    def release_scratch(self) -> None:
        """Frees the working memory of batches, queries and algorithms; they take it again when they need it."""
        self._core.release_scratch()

    def save(self, path: str | os.PathLike, format: str | None = None) -> None:
        """Writes the graph to a file, in the format that the ending of the name means or ``format`` names."""
        self._core.save(os.fsdecode(path), format or "")

    # Its end.

    def close(self) -> None:
        """Frees its memory now. Arrays that it has given stay. Further calls raise RuntimeError."""
        self._core.close()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> str:
        raise TypeError(
            "a rhizome.Graph cannot be pickled or copied, as its memory lies on a device: pass snapshot() or save()"
        )


def _name_of_dtype(dtype: Any) -> str:
    import numpy as np

    try:
        return np.dtype(dtype).name
    except TypeError:
        return str(dtype).rpartition(".")[2]  # torch.float32


def _largest(ids: Any) -> int:
    """The largest id; -1 of none."""
    if not (hasattr(ids, "max") and hasattr(ids, "shape")):
        import numpy as np

        ids = np.asarray(ids)
    kind = getattr(getattr(ids, "dtype", None), "kind", "i")
    # What holds no ids is refused when it is inserted, with the reason.
    return int(ids.max()) if kind in "iu" and len(ids.shape) == 1 and ids.shape[0] != 0 else -1


def _dtype_of_weights(weights: Any) -> str:
    """The type of a graph's weights for an array of them."""
    import numpy as np

    name = _name_of_dtype(weights.dtype) if hasattr(weights, "dtype") else np.asarray(weights).dtype.name
    return name if name in ("float32", "float64", "int32") else "float64"


def from_edges(src: Any, dst: Any, weights: Any = None, *, vertices: int | None = None, **options: Any) -> Graph:
    """A graph of the edges ``src[i] -> dst[i]``.

    ``vertices``: how many; None: as many as the ids need. Further options are those of ``Graph``; ``weights`` are
    one number per edge. They stay what they are if they are float32, float64 or int32; others become float64.
    """
    count = max(_largest(src), _largest(dst)) + 1 if vertices is None else vertices
    graph = Graph(count, weights=None if weights is None else _dtype_of_weights(weights), **options)
    graph.insert(src, dst, weights)
    return graph


def from_csr(indptr: Any, indices: Any, weights: Any = None, *, directed: bool = True, **options: Any) -> Graph:
    """A graph of compressed sparse rows: the edges ``v -> indices[indptr[v]:indptr[v + 1]]``.

    Directed unless told otherwise. For an undirected graph the rows may hold an edge once or from both ends; of two
    weights the last counts. Arrays on a GPU stay there (CuPy).
    """
    if type(indptr).__module__.partition(".")[0] == "cupy":
        import cupy as xp
    else:
        import numpy as xp
    indptr = xp.asarray(indptr)
    indices = xp.asarray(indices)
    if indptr.dtype.kind not in "iu":
        raise TypeError(f"indptr: offsets, which are whole numbers, are wanted, not elements of type {indptr.dtype}")
    if indptr.ndim != 1 or indptr.size == 0 or int(indptr[0]) != 0 or int(indptr[-1]) != indices.size:
        raise ValueError("indptr: offsets from 0 to the length of indices are wanted")
    counts = xp.diff(indptr)
    if counts.size and int(counts.min()) < 0:
        raise ValueError("indptr: the offsets descend")
    size = indptr.size - 1
    if indices.dtype.kind in "iu" and indices.dtype.itemsize < 4:
        indices = indices.astype(xp.int32)
    kind = indices.dtype if indices.dtype.kind in "iu" else xp.int64
    sources = xp.arange(size, dtype=kind).repeat(counts if xp.__name__ == "numpy" else counts.tolist())
    return from_edges(sources, indices, weights, vertices=size, directed=directed, **options)


def from_scipy(matrix: Any, *, directed: bool = True, weights: bool = True, **options: Any) -> Graph:
    """A graph of a sparse matrix of SciPy: an edge from row to column for each stored entry, which is its weight.

    ``weights=False`` leaves the weights out. ``directed=False`` wants a symmetric matrix.
    """
    if not hasattr(matrix, "tocoo"):
        raise TypeError(f"a sparse matrix or array of SciPy is wanted, not {type(matrix).__name__}")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a square matrix is wanted, not one of {matrix.shape[0]} x {matrix.shape[1]}")
    if not directed and (matrix != matrix.T).nnz != 0:
        raise ValueError("the matrix is not symmetric: directed=True takes it")
    entries = matrix.tocoo(copy=True)  # else it may be the caller's own
    entries.sum_duplicates()
    source, target, data = entries.row, entries.col, entries.data
    if not directed:
        kept = source <= target
        source, target, data = source[kept], target[kept], data[kept]
    return from_edges(
        source, target, data if weights else None, vertices=matrix.shape[0], directed=directed, **options
    )


def _weight(value: Any, u: Any, v: Any, name: str | None) -> float:
    """A weight of an edge of NetworkX. NumPy would make a number of None and of text."""
    import numbers

    if not isinstance(value, numbers.Real):
        raise TypeError(f"edge ({u}, {v}): {name} is {value!r}, no number")
    return float(value)


def from_networkx(graph: Any, weight: str | None = None, **options: Any) -> Graph:
    """A graph of a NetworkX graph. Vertex ``i`` is node ``names[i]``, in the order of the nodes.

    ``weight``: the attribute of edges that becomes their weight, 1 where an edge lacks it; None: no weights.
    Multigraphs are refused.
    """
    import numpy as np

    if not hasattr(graph, "is_multigraph"):
        raise TypeError(f"a graph of NetworkX is wanted, not {type(graph).__name__}")
    if graph.is_multigraph():
        raise ValueError("a multigraph has parallel edges: networkx.Graph(G) or DiGraph(G) leaves one of each")
    names = list(graph)
    ids = {name: i for i, name in enumerate(names)}
    count = graph.number_of_edges()
    source = np.empty(count, np.int32)
    target = np.empty(count, np.int32)
    weights = None if weight is None else np.empty(count, np.float64)
    for i, (u, v, *of_edge) in enumerate(graph.edges(data=weight, default=1) if weight else graph.edges()):
        source[i] = ids[u]
        target[i] = ids[v]
        if weights is not None:
            weights[i] = _weight(of_edge[0], u, v, weight)
    made = from_edges(source, target, weights, vertices=len(names), directed=graph.is_directed(), **options)
    if names != list(range(len(names))):
        made._names = names
    return made


def _os_error(error: OSError, path: str) -> OSError:
    """FileNotFoundError for a file that is not there."""
    return FileNotFoundError(str(error)) if path != "-" and not os.path.exists(path) else error


def read(
    path: str | os.PathLike,
    *,
    weights: str | None = "auto",
    directed: bool = False,
    format: str | None = None,
    columns: str | None = None,
    **options: Any,
) -> Graph:
    """Reads a graph from a file of any format that the tool ``rhizome`` reads, compressed or not.

    Parameters
    ----------
    weights : 'auto', None, 'float64', ...
        'auto': float64 if the file has weights, else none. None leaves them out. With a type, edges that have no
        weight in the file get 1.
    directed : bool
        The edges of a file that does not say it are directed.
    format : str, optional
        As in ``rhizome convert --from``; None: known by the content.
    columns : str, optional
        What the columns of an edge list hold: ``'u,v,w,t'``, ``-`` skips one.

    Further options are those of ``Graph``. ``graph.names`` has the names of the vertices, if the file names them.
    """
    path = os.fsdecode(path)
    try:
        found = engine().read(path, format or "", columns or "", bool(directed), weights is not None)
    except OSError as error:
        raise _os_error(error, path) from None
    if weights == "auto":
        weights = "float64" if found.weighted else None
    graph = Graph(found.vertices, directed=found.directed, weights=weights, **options)
    graph._core.insert_file(found, path)
    names = found.names
    graph._names = list(range(1, found.vertices + 1)) if names is None and found.counts_from_one else names
    return graph
