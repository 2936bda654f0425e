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
    """An undirected graph whose nodes are any hashable objects, with the methods of NetworkX that are listed here.

    ``weight``: the attribute of edges that it keeps, as a float64; None: edges have no attributes. Other attributes of
    edges, and those of nodes, are refused, so that none is lost without a word. Methods that NetworkX has and this class
    lacks: ``to_networkx()`` makes a graph of NetworkX's own.
    """

    __networkx_backend__ = "rhizome"
    _directed = False

    def __init__(
        self, incoming: Any = None, *, weight: str | None = None, device: str | int | None = None, **attributes: Any
    ):
        self._start(weight, device)
        self.graph.update(attributes)
        if incoming is None:
            return
        if hasattr(incoming, "is_multigraph"):
            self.graph.update({**incoming.graph, **attributes})
            self.add_nodes_from(incoming.nodes(data=True))
            self.add_edges_from(incoming.edges(data=True))
        else:
            self.add_edges_from(incoming)

    def _start(self, weight: str | None, device: str | int | None) -> None:
        self.graph: dict = {}
        self.weight = weight
        self._ids: dict[Hashable, int] = {}
        self._nodes: list[Hashable] = []  # by id; None where a node was removed
        self._live = _graph.Graph(directed=self._directed, weights="float64" if weight else None, device=device)
        self.__networkx_cache__: dict = {}

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

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"rhizome.networkx.{type(self).__name__} has no {name!r}; a graph of NetworkX's own, to_networkx(), may have it"
        )

    # Changing it. What a caller iterates over is taken in first: it may use the graph itself.

    def _make(self, nodes: Iterable) -> None:
        """Makes those of the nodes that are new."""
        new = list(dict.fromkeys(node for node in nodes if node not in self._ids))
        if None in new:
            raise ValueError("None cannot be a node")
        if not new:
            return
        for node, id in zip(new, _on_host(self._live.insert_vertices(len(new))).tolist()):
            if id == len(self._nodes):
                self._nodes.append(node)
            else:
                self._nodes[id] = node  # of a node that was removed
            self._ids[node] = id
        self.__networkx_cache__.clear()

    def add_node(self, node: Hashable, **attributes: Any) -> None:
        self.add_nodes_from([node], **attributes)

    def add_nodes_from(self, nodes: Iterable, **attributes: Any) -> None:
        plain = []
        for node in list(nodes):
            given = attributes
            if isinstance(node, tuple) and len(node) == 2 and isinstance(node[1], dict):
                node, own = node
                given = {**attributes, **own}
            if given:
                raise NotImplementedError(f"a rhizome graph keeps no attributes of nodes: {', '.join(map(str, given))}")
            plain.append(node)
        self._make(plain)

    def add_edge(self, u: Hashable, v: Hashable, **attributes: Any) -> None:
        self.add_edges_from([(u, v, attributes)])

    def add_weighted_edges_from(self, edges: Iterable, weight: str = "weight") -> None:
        self.add_edges_from((u, v, {weight: w}) for u, v, w in edges)

    def add_edges_from(self, edges: Iterable, **attributes: Any) -> None:
        """One batch: all of them, or none if an edge has an attribute that the graph does not keep."""
        import numpy as np

        ends: list[tuple] = []
        weights: list[float | None] = []
        kept = self.weight or ""
        for edge in list(edges):
            u, v, *rest = edge
            given = {**attributes, **rest[0]} if rest else attributes
            unknown = [str(key) for key in given if self.weight is None or key != kept]
            if unknown:
                raise NotImplementedError(
                    f"a rhizome graph keeps {self.weight or 'no attribute'} of edges, not {', '.join(unknown)}"
                )
            hash(u), hash(v)
            ends.append((u, v))
            weights.append(_graph._weight(given[kept], u, v, kept) if kept in given else None)
        if not ends:
            return
        before = self._live.id_bound if self.weight else 0
        self._make(node for pair in ends for node in pair)
        source = np.array([self._ids[u] for u, _ in ends], np.int32)
        target = np.array([self._ids[v] for _, v in ends], np.int32)
        values = None
        if self.weight:
            values = self._weights_of(source, target, weights, before)
        self._live.insert(source, target, values)
        self.__networkx_cache__.clear()

    def _weights_of(self, source: Any, target: Any, weights: list, before: int) -> Any:
        """An edge without a weight keeps the one that it has, also from earlier in the batch; a new edge gets 1."""
        import numpy as np

        values = np.array([1.0 if w is None else w for w in weights], np.float64)
        if all(w is not None for w in weights):
            return values
        present_weights, present = self._live.edge_weights(source, target)
        last: dict[tuple, float] = {}
        for i, (u, v) in enumerate(zip(source.tolist(), target.tolist())):
            pair = (u, v) if self._directed or u <= v else (v, u)
            if weights[i] is None:
                values[i] = last.get(pair, present_weights[i] if present[i] else 1.0)
            last[pair] = values[i]
        return values

    def remove_edge(self, u: Hashable, v: Hashable) -> None:
        import networkx as nx

        if not self.has_edge(u, v):
            raise nx.NetworkXError(f"The edge {u}-{v} is not in the graph")
        self.remove_edges_from([(u, v)])

    def remove_edges_from(self, edges: Iterable) -> None:
        """One batch; edges that are absent are passed over."""
        import numpy as np

        known = [(self._ids[u], self._ids[v]) for u, v, *_ in list(edges) if u in self._ids and v in self._ids]
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
        known = list(dict.fromkeys(node for node in list(nodes) if node in self._ids))
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

    def clear(self) -> None:
        self.remove_nodes_from(list(self))
        self.graph.clear()

    @property
    def nodes(self) -> _Nodes:
        return _Nodes(self._ids)

    def nbunch_iter(self, nbunch: Any = None) -> Iterator:
        """The node, those of the nodes that the graph has, or all."""
        import networkx as nx

        if nbunch is None:
            return iter(list(self))
        if nbunch in self:
            return iter([nbunch])
        try:
            chosen = list(nbunch)
        except TypeError:
            raise nx.NetworkXError(f"Node {nbunch} is not in the graph.") from None
        for node in chosen:
            try:
                hash(node)
            except TypeError:
                raise nx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from None
        return iter([node for node in chosen if node in self])

    def get_edge_data(self, u: Hashable, v: Hashable, default: Any = None) -> Any:
        if not self.has_edge(u, v):
            return default
        if not self.weight:
            return {}
        return {self.weight: float(self._live.edge_weights([self._ids[u]], [self._ids[v]])[0][0])}

    def neighbors(self, node: Hashable) -> Iterator:
        import networkx as nx

        if node not in self._ids:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
        return iter(self[node])

    def degree(self, nbunch: Any = None) -> Any:
        """The number of edges at a node, a self-loop counted twice; of several, pairs of node and number."""
        return self._one_or_all(nbunch, self._degrees)

    def _one_or_all(self, nbunch: Any, of: Any) -> Any:
        if nbunch is not None and nbunch in self:
            return of([nbunch])[0][1]
        return iter(of(list(self.nbunch_iter(nbunch))))

    def _degrees(self, nodes: list) -> list:
        ids = [self._ids[node] for node in nodes]
        if not ids:
            return []
        return list(zip(nodes, (self._live.degrees(ids) + self._live.has_edges(ids, ids)).tolist()))

    def edges(self, nbunch: Any = None, data: Any = False, default: Any = None) -> Iterator:
        """The edges as they are now, of all nodes or of some: pairs, with ``data=True`` triples with a dict of
        attributes, with the name of an attribute triples with its value."""
        import numpy as np

        indptr, indices, weights = self._live.snapshot()._on_host()
        sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        if nbunch is not None:
            chosen = np.zeros(len(indptr) - 1, bool)
            chosen[[self._ids[node] for node in self.nbunch_iter(nbunch)]] = True
            # Of an edge between two of them, one direction.
            kept = chosen[sources] if self._directed else chosen[sources] & (~chosen[indices] | (sources <= indices))
        else:
            kept = np.ones(len(indices), bool) if self._directed else sources <= indices
        names = self._nodes
        ends = [(names[u], names[v]) for u, v in zip(sources[kept].tolist(), indices[kept].tolist())]
        if data is False:
            return iter(ends)
        if data is True:
            if weights is None:
                return iter([(u, v, {}) for u, v in ends])
            return iter([(u, v, {self.weight: w}) for (u, v), w in zip(ends, weights[kept].tolist())])
        if weights is None or data != self.weight:
            return iter([(u, v, default) for u, v in ends])
        return iter([(u, v, w) for (u, v), w in zip(ends, weights[kept].tolist())])

    def copy(self) -> Graph:
        made = type(self).__new__(type(self))
        made._start(self.weight, self._live.device)
        made.graph.update(self.graph)
        made.add_nodes_from(self)
        made.add_edges_from(self.edges(data=True))
        return made

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

    def _array(self, values: Mapping) -> Any:
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


class _Nodes:
    """The nodes, as NetworkX's view of them: iterable, and a call that gives them with their attributes."""

    def __init__(self, ids: dict):
        self._ids = ids

    def __iter__(self) -> Iterator:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, node: object) -> bool:
        return node in self._ids

    def __call__(self, data: Any = False, default: Any = None) -> Any:
        if data is False:
            return self
        return [(node, {} if data is True else default) for node in self._ids]


class DiGraph(Graph):
    """As ``Graph``, with directions."""

    _directed = True

    successors = Graph.neighbors

    def degree(self, nbunch: Any = None) -> Any:
        raise NotImplementedError("a rhizome DiGraph knows out-degrees only: out_degree()")

    def out_degree(self, nbunch: Any = None) -> Any:
        return self._one_or_all(nbunch, self._out_degrees)

    def _out_degrees(self, nodes: list) -> list:
        return list(zip(nodes, self._live.degrees([self._ids[node] for node in nodes]).tolist())) if nodes else []


def _on_host(array: Any) -> Any:
    import numpy as np

    return array if isinstance(array, np.ndarray) else array.numpy()
