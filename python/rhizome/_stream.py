# SPDX-License-Identifier: Apache-2.0
"""Streams of updates: batch by batch into a graph, with windows and names."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

from ._engine import engine
from ._graph import Graph, _count, _os_error

if TYPE_CHECKING:
    from ._core import Batch


class Stream:
    """An iterator over the batches of a stream. ``next()`` applies the next batch to the graph, and returns what it did.

    While a batch is applied, other threads read the next ones. Between two batches the graph may be asked and changed.
    """

    def __init__(self, core: Any, graph: Graph, maps_names: bool):
        self._core = core
        self._graph = graph
        self._maps_names = maps_names

    @property
    def graph(self) -> Graph:
        return self._graph

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Batch:
        """Raises MemoryError if the graph gets no memory for the batch: its edges are then as they were."""
        try:
            done = self._core.next()
        finally:
            if self._maps_names:
                core = weakref.ref(self)
                # A list is made when it is asked for. No cycle: the stream keeps the graph.
                self._graph._names = lambda: made.names if (made := core()) is not None else None
        if done is None:
            if self._maps_names:
                self._graph._names = self.names
            raise StopIteration
        return done

    @property
    def names(self) -> list[Any] | None:
        """What the stream calls the vertices that it has named so far, by id; None without ``map_names``."""
        return self._core.names

    def __del__(self) -> None:
        if getattr(self, "_maps_names", False) and callable(self._graph._names):
            self._graph._names = self.names


def stream(
    updates: Any,
    graph: Graph,
    batch: int = 100_000,
    *,
    window: str | int | None = None,
    time_step: str | int | None = None,
    times: Any = None,
    weights: Any = None,
    erasures: Any = None,
    grow: bool = True,
    map_names: bool = False,
    format: str | None = None,
    sorted: bool = False,
) -> Stream:
    """Applies a stream of updates to a graph, a batch for each step of the iterator that it returns::

        for batch in rhizome.stream("edges.txt", graph, batch=10_000, window="30d"):
            print(batch.number, batch.num_edges, rhizome.triangles(graph))

    A batch has the effect of its updates one after the other.

    Parameters
    ----------
    updates : path, or a pair of arrays ``(src, dst)`` on the host
        A file of any format of ``rhizome stream``, compressed or not; or update ``i`` inserts ``src[i] -> dst[i]``.
    graph : Graph
        A graph with weights takes those of the stream; an insertion without one gives 1.
    batch : int
        Updates of a batch; with ``time_step`` the most.
    window : str or int, optional
        Edges leave the graph when they are older than this: ``"30d"``, ``"12h"``, ``"90s"``, a number in the unit of the
        times; or, with e, when so many came after them: ``"100000e"``.
    time_step : str or int, optional
        A batch is what came in this length of time.
    times : array of int64, optional
        Of updates in arrays. If they do not ascend, the updates are sorted by them.
    weights : array of float64, optional
        Of updates in arrays.
    erasures : array of bool, optional
        Which of the updates in arrays erase.
    grow : bool
        The graph gets vertices that updates name and it lacks. False: such updates raise IndexError.
    map_names : bool
        The stream names vertices by any numbers (in files: words). ``graph.names`` has them by id. The graph has no
        vertices yet, or names.
    format : str, optional
        Format of the file; None: known by the content.
    sorted : bool
        A temporal file is in the order of time: it is read batch by batch, not whole.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph: a rhizome.Graph is wanted, not {type(graph).__name__}")
    batch = _count(batch, "batch")
    if batch == 0:
        raise ValueError("batch: at least 1")
    core = engine()
    step = 0 if time_step is None else core.parse_time(str(time_step))
    if isinstance(updates, (str, bytes, os.PathLike)):
        if times is not None or weights is not None or erasures is not None:
            raise ValueError("times, weights and erasures are for updates in arrays")
        path = os.fsdecode(updates)
        try:
            source = core.updates_in_file(path, format or "", bool(sorted), batch, step)
        except OSError as error:
            raise _os_error(error, path) from None
    else:
        try:
            src, dst = updates
        except (TypeError, ValueError):
            raise TypeError("updates: a path or a pair of arrays (src, dst) is wanted") from None
        if erasures is not None:
            import numpy as np

            erasures = np.asarray(erasures)
            if erasures.dtype != bool and erasures.size:
                raise TypeError(f"erasures: an array of bool is wanted, not of {erasures.dtype}")
            erasures = erasures.astype(bool)
        for name, array in (("erasures", erasures), ("times", times), ("weights", weights)):
            if array is not None and len(array) != len(src):
                raise ValueError(f"{len(src)} updates have {len(array)} {name}")
        source = core.updates_in_arrays(src, dst, erasures, times, weights, batch, step)
    names = graph.names
    if map_names and names is None and graph.id_bound != 0:
        raise ValueError("map_names: the vertices of the graph have no names")
    made = core.Stream(
        graph._core, source, "" if window is None else str(window), bool(grow), bool(map_names), names if map_names else None
    )
    return Stream(made, graph, map_names)
