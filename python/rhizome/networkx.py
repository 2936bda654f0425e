# SPDX-License-Identifier: Apache-2.0
"""Graphs for NetworkX that live in Rhizome.

``nx.pagerank(G, backend="rhizome")`` converts an ordinary graph, and keeps the converted one as long as ``G`` does not
change. A graph of this module is not converted at all, also after a change: ``add_edges_from`` and
``remove_edges_from`` are batches on the live graph::

    import networkx as nx
    import rhizome.networkx as rnx

    G = rnx.Graph([("a", "b"), ("b", "c")])
    nx.pagerank(G)
    G.add_edges_from([("c", "a")])
    nx.pagerank(G)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from . import _graph

__all__ = ["DiGraph", "Graph"]


class Graph:
    """An undirected graph whose nodes are any hashable objects, with NetworkX's methods for changing and asking it.

    ``weight``: the attribute of edges that it keeps, as a float64; None: edges have no attributes. Other attributes are
    refused, so that none is lost without a word.
    """

    __networkx_backend__ = "rhizome"
    _directed = False

    def __init__(
        self, incoming: Any = None, *, weight: str | None = None, device: str | int | None = None, **attributes: Any
    ):
        self.graph = dict(attributes)
        self.weight = weight
        self._ids: dict[Hashable, int] = {}
        self._nodes: list[Hashable] = []  # by id; _Erased where a node was removed
        self._live = _graph.Graph(
            directed=self._directed, weights="float64" if weight else None, device=device
        )
        self.__networkx_cache__: dict = {}
        if incoming is None:
            return
        if hasattr(incoming, "is_multigraph"):
            self.add_nodes_from(incoming)
            self.add_edges_from(incoming.edges(data=True) if weight else incoming.edges())
        else:
            self.add_edges_from(incoming)

    @classmethod
    def _of(cls, live: _graph.Graph, nodes: list, weight: str | None) -> Graph:
        """Around a graph whose vertex i is nodes[i]."""
        made = cls.__new__(cls)
        made.graph = {}
        made.weight = weight
        made._live = live
        made._nodes = nodes
        made._ids = {node: i for i, node in enumerate(nodes)}
        made.__networkx_cache__ = {}
        return made

    # Changing it.

    def _id_for(self, node: Hashable, new: list) -> int:
        """The id of a node; one that is new gets the next, and goes into the list."""
        id = self._ids.get(node)
        if id is None:
            if node is None:
                raise ValueError("None cannot be a node")
            id = len(self._nodes) + len(new)
            self._ids[node] = id
            new.append(node)
        return id

    def _make(self, new: list) -> None:
        try:
            self._live.add_vertices(len(new))
        except BaseException:
            for node in new:
                del self._ids[node]
            raise
        self._nodes.extend(new)

    def add_node(self, node: Hashable, **attributes: Any) -> None:
        self.add_nodes_from([node], **attributes)

    def add_nodes_from(self, nodes: Iterable, **attributes: Any) -> None:
        if attributes:
            raise NotImplementedError(f"a rhizome graph keeps no attributes of nodes: {', '.join(attributes)}")
        new: list = []
        try:
            for node in nodes:
                if isinstance(node, tuple) and len(node) == 2 and isinstance(node[1], dict):
                    if node[1]:
                        raise NotImplementedError("a rhizome graph keeps no attributes of nodes")
                    node = node[0]
                self._id_for(node, new)
        except BaseException:
            for node in new:
                del self._ids[node]
            raise
        if new:
            self._make(new)

    def add_edge(self, u: Hashable, v: Hashable, **attributes: Any) -> None:
        self.add_edges_from([(u, v, attributes)])

    def add_weighted_edges_from(self, edges: Iterable, weight: str = "weight") -> None:
        self.add_edges_from((u, v, {weight: w}) for u, v, w in edges)

    def add_edges_from(self, edges: Iterable, **attributes: Any) -> None:
        """One batch: all of them, or none if an edge has an attribute that the graph does not keep."""
        import numpy as np

        new: list = []
        source: list[int] = []
        target: list[int] = []
        weights: list[float] = []
        try:
            for edge in edges:
                u, v, *rest = edge
                given = attributes
                if rest:
                    given = {**attributes, **rest[0]}
                unknown = [key for key in given if key != self.weight]
                if unknown:
                    raise NotImplementedError(
                        f"a rhizome graph keeps {self.weight or 'no attribute'} of edges, not {', '.join(map(str, unknown))}"
                    )
                source.append(self._id_for(u, new))
                target.append(self._id_for(v, new))
                if self.weight:
                    weights.append(float(given.get(self.weight, 1)))
        except BaseException:
            for node in new:
                del self._ids[node]
            raise
        if new:
            self._make(new)
        if not source:
            return
        src, dst = np.array(source, np.int32), np.array(target, np.int32)
        self._live.insert(src, dst, np.array(weights, np.float64) if self.weight else None)
        self.__networkx_cache__.clear()

    def remove_edge(self, u: Hashable, v: Hashable) -> None:
        import networkx as nx

        if not self.has_edge(u, v):
            raise nx.NetworkXError(f"The edge {u}-{v} is not in the graph")
        self.remove_edges_from([(u, v)])

    def remove_edges_from(self, edges: Iterable) -> None:
        """One batch; edges that are absent are passed over."""
        import numpy as np

        known = [(self._ids[u], self._ids[v]) for u, v, *_ in edges if u in self._ids and v in self._ids]
        if known:
            pairs = np.array(known, np.int32)
            self._live.erase(pairs[:, 0], pairs[:, 1])
            self.__networkx_cache__.clear()

    def remove_node(self, node: Hashable) -> None:
        import networkx as nx

        if node not in self._ids:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
        self.remove_nodes_from([node])

    def remove_nodes_from(self, nodes: Iterable) -> None:
        known = list(dict.fromkeys(node for node in nodes if node in self._ids))
        if not known:
            return
        self._live.erase_vertices([self._ids[node] for node in known])
        for node in known:
            self._nodes[self._ids.pop(node)] = None
        self.__networkx_cache__.clear()

    # Asking it.

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return False

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator:
        return iter(self._ids)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self._ids
        except TypeError:
            return False

    def __getitem__(self, node: Hashable) -> dict:
        """The neighbours of a node, with the attributes of the edges to them: a copy."""
        row = self._live.neighbors([self._ids[node]])
        names = [self._nodes[v] for v in row.indices.tolist()]
        if row.weights is None:
            return {name: {} for name in names}
        return {name: {self.weight: w} for name, w in zip(names, row.weights.tolist())}

    def number_of_nodes(self) -> int:
        return len(self._ids)

    order = number_of_nodes

    def number_of_edges(self, u: Hashable = None, v: Hashable = None) -> int:
        if u is None:
            return self._live.num_edges
        return int(self.has_edge(u, v))

    def size(self, weight: str | None = None) -> float:
        if weight is None:
            return self._live.num_edges
        return sum(w for _, _, w in self.edges(data=weight, default=1))

    def has_node(self, node: object) -> bool:
        return node in self

    def has_edge(self, u: Hashable, v: Hashable) -> bool:
        return u in self._ids and v in self._ids and (self._ids[u], self._ids[v]) in self._live

    @property
    def nodes(self) -> Iterable:
        return self._ids.keys()

    def neighbors(self, node: Hashable) -> Iterator:
        import networkx as nx

        if node not in self._ids:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
        return iter(self[node])

    def degree(self, nodes: Any = None) -> Any:
        """The number of edges at a node, a self-loop counted twice; of several, pairs of node and number."""
        if nodes is not None and nodes in self:
            return self._degrees([nodes])[0][1]
        return iter(self._degrees(list(self._ids) if nodes is None else [node for node in nodes if node in self._ids]))

    def _degrees(self, nodes: list) -> list:
        ids = [self._ids[node] for node in nodes]
        if not ids:
            return []
        loops = self._live.has_edges(ids, ids)
        return list(zip(nodes, (self._live.degrees(ids) + loops).tolist()))

    def edges(self, data: Any = False, default: Any = None) -> Iterator:
        """The edges as they are now: pairs, with ``data=True`` triples with a dict of attributes, with the name of an
        attribute triples with its value."""
        import numpy as np

        indptr, indices, weights = self._live.snapshot()._on_host()
        sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        if not self._directed:
            kept = sources <= indices
            sources, indices = sources[kept], indices[kept]
            weights = None if weights is None else weights[kept]
        ends = ((self._nodes[u], self._nodes[v]) for u, v in zip(sources.tolist(), indices.tolist()))
        if data is False:
            return ends
        if weights is None:
            return ((u, v, {} if data is True else default) for u, v in ends)
        if data is True:
            return ((u, v, {self.weight: w}) for (u, v), w in zip(ends, weights.tolist()))
        if data != self.weight:
            return ((u, v, default) for u, v in ends)
        return ((u, v, w) for (u, v), w in zip(ends, weights.tolist()))

    def copy(self) -> Graph:
        return type(self)(self, weight=self.weight, device=self._live.device)

    def to_networkx(self) -> Any:
        """The same graph as one of NetworkX's own."""
        import networkx as nx

        graph = nx.DiGraph() if self._directed else nx.Graph()
        graph.graph.update(self.graph)
        graph.add_nodes_from(self._ids)
        graph.add_edges_from(self.edges(data=True))
        return graph

    def __repr__(self) -> str:
        return f"<rhizome.networkx.{type(self).__name__} of {len(self)} nodes and {self._live.num_edges} edges>"

    @property
    def live(self) -> _graph.Graph:
        """The ``rhizome.Graph`` behind it. Vertex ids are those of ``id_of``; to change it, use this graph's methods."""
        return self._live

    def id_of(self, node: Hashable) -> int:
        """The id of a node in ``live``."""
        return self._ids[node]

    # What the backend needs.

    def _array(self, values: Mapping, what: str) -> Any:
        """An array by id of numbers by node, 0 where there is none."""
        import numpy as np

        array = np.zeros(self._live.id_bound, np.float64)
        for node, value in values.items():
            if node in self._ids:
                array[self._ids[node]] = value
        return array

    def _by_node(self, array: Any) -> dict:
        """By node, in the order of the nodes."""
        values = _on_host(array).tolist()
        return {node: values[id] for node, id in self._ids.items()}


class DiGraph(Graph):
    """As ``Graph``, with directions."""

    _directed = True

    successors = Graph.neighbors

    def degree(self, nodes: Any = None) -> Any:
        raise NotImplementedError("a rhizome DiGraph knows out-degrees only: out_degree()")

    def out_degree(self, nodes: Any = None) -> Any:
        if nodes is not None and nodes in self:
            return int(self._live.degrees([self._ids[nodes]])[0])
        chosen = list(self._ids) if nodes is None else [node for node in nodes if node in self._ids]
        return iter(zip(chosen, self._live.degrees([self._ids[node] for node in chosen]).tolist()))


def _on_host(array: Any) -> Any:
    import numpy as np

    return array if isinstance(array, np.ndarray) else array.numpy()
