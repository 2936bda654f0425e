# SPDX-License-Identifier: Apache-2.0
"""The backend that NetworkX calls: conversions, and its functions by their names."""

from __future__ import annotations

import inspect
import math
from typing import Any

import networkx as nx
import numpy as np

from . import _algorithms, _graph
from ._networkx_info import FUNCTIONS
from .networkx import DiGraph, Graph, _on_host


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict | None = None,
    node_attrs: dict | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
    **_: Any,
) -> Graph:
    """A graph of NetworkX as one of Rhizome, with at most one attribute of edges."""
    if isinstance(graph, Graph):
        return graph
    if graph.is_multigraph():
        raise NotImplementedError("rhizome keeps no parallel edges: multigraphs are refused")
    attribute, default = next(iter(edge_attrs.items())) if edge_attrs else (None, 1)
    kind = DiGraph if graph.is_directed() else Graph
    nodes = list(graph)
    ids = {node: i for i, node in enumerate(nodes)}
    device = getattr(nx.config.backends.rhizome, "device", None) if "rhizome" in nx.config.backends else None
    count = graph.number_of_edges()
    source, target = np.empty(count, np.int32), np.empty(count, np.int32)
    weights = None
    if attribute is not None:
        weights = np.empty(count, np.float64)
        for i, (u, v, w) in enumerate(graph.edges(data=attribute, default=1 if default is None else default)):
            source[i], target[i] = ids[u], ids[v]
            try:
                weights[i] = _graph._weight(w, u, v, attribute)
            except (TypeError, OverflowError) as error:
                raise NotImplementedError(str(error)) from None
        if not bool(np.isfinite(weights).all()):
            raise NotImplementedError(f"{attribute}: infinite weights are refused, and those that are no numbers")
        if bool((weights == 1).all()):
            weights = None  # the same results, sooner
    else:
        for i, (u, v) in enumerate(graph.edges()):
            source[i], target[i] = ids[u], ids[v]
    live = _graph.from_edges(
        source, target, weights, vertices=len(nodes), directed=graph.is_directed(), device=device
    )
    made = kind._of(live, nodes, attribute if weights is not None else None)
    if preserve_graph_attrs:
        made.graph.update(graph.graph)
    return made


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    return result.to_networkx() if isinstance(result, Graph) else result


def _node_id(G: Graph, node: Any) -> int:
    if node not in G:
        raise nx.NodeNotFound(f"Node {node} is not in the graph")
    return G.id_of(node)


def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: dict | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: dict | None = None,
    weight: str | None = "weight",
    dangling: dict | None = None,
) -> dict:
    if len(G) == 0:
        return {}
    weighted = weight is not None and G.weight == weight
    options: dict[str, Any] = {}
    if personalization is not None:
        chosen = {node: float(value) for node, value in personalization.items() if node in G}
        if not any(chosen.values()):
            raise ZeroDivisionError("personalization: all of its values are 0")
        options["personalization"] = ([G.id_of(node) for node in chosen], list(chosen.values()))
    if nstart is not None:
        start = G._array(nstart)
        if not start.any():
            raise ZeroDivisionError("nstart: all of its values are 0")
        options["start"] = start
    # NetworkX stops at a change of tol per node.
    try:
        found = _algorithms.pagerank(G.live, alpha, tol * len(G), max(1, max_iter), weighted=weighted, **options)
    except ValueError as error:  # negative weights, for example, which NetworkX takes
        raise NotImplementedError(str(error)) from None
    if not found.converged or max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G._by_node(found.ranks)


def _chosen(G: Graph, by_node: Any, nodes: Any) -> Any:
    """Of one node, of some, or of all."""
    if nodes is not None and nodes in G:
        return by_node([nodes])[nodes]
    return by_node(list(G.nbunch_iter(nodes)))


def _triangles_of(G: Graph, nodes: list) -> dict:
    counts = _on_host(_algorithms.local_triangles(G.live).per_vertex)
    return {node: int(counts[G.id_of(node)]) for node in nodes}


def triangles(G: Graph, nodes: Any = None) -> Any:
    return _chosen(G, lambda chosen: _triangles_of(G, chosen), nodes)


def _clustering_of(G: Graph, nodes: list) -> dict:
    counts = _triangles_of(G, nodes)
    ids = np.array([G.id_of(node) for node in nodes], np.int32)
    # Self-loops are in no triangle.
    degrees = G.live.degrees(ids) - G.live.has_edges(ids, ids) if len(ids) else []
    return {
        node: 0 if counts[node] == 0 else 2 * counts[node] / (int(d) * (int(d) - 1)) for node, d in zip(nodes, degrees)
    }


def clustering(G: Graph, nodes: Any = None, weight: str | None = None) -> Any:
    return _chosen(G, lambda chosen: _clustering_of(G, chosen), nodes)


def average_clustering(G: Graph, nodes: Any = None, weight: str | None = None, count_zeros: bool = True) -> float:
    values = list(clustering(G, nodes).values())
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return sum(values) / len(values)


def transitivity(G: Graph) -> float:
    found = _algorithms.local_triangles(G.live)
    if found.count == 0:
        return 0
    ids = np.array([G.id_of(node) for node in G], np.int32)
    degrees = (G.live.degrees(ids) - G.live.has_edges(ids, ids)).astype(np.int64)
    return 6 * found.count / int((degrees * (degrees - 1)).sum())


def single_source_shortest_path_length(G: Graph, source: Any, cutoff: float | None = None) -> dict:
    levels = _on_host(_algorithms.bfs(G.live, _node_id(G, source)).levels)
    reached = levels >= 0
    if cutoff is not None:
        reached &= levels <= max(0, math.ceil(cutoff))
    ids = np.nonzero(reached)[0]
    order = ids[np.argsort(levels[ids], kind="stable")]
    return {G._nodes[id]: level for id, level in zip(order.tolist(), levels[order].tolist())}


def single_source_dijkstra_path_length(
    G: Graph, source: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict:
    if weight is None or G.weight != weight:  # all weigh 1
        return single_source_shortest_path_length(G, source)
    id = _node_id(G, source)
    try:
        distances = _on_host(_algorithms.sssp(G.live, id).distances)
    except ValueError as error:  # negative weights
        raise NotImplementedError(str(error)) from None
    ids = np.nonzero(np.isfinite(distances))[0]
    order = ids[np.argsort(distances[ids], kind="stable")]
    return {G._nodes[id]: distance for id, distance in zip(order.tolist(), distances[order].tolist())}


def _component_sets(G: Graph) -> list[set]:
    labels = _on_host(_algorithms.connected_components(G.live).labels).tolist()
    sets: dict[int, set] = {}
    for node, id in G._ids.items():
        sets.setdefault(labels[id], set()).add(node)
    return list(sets.values())


def connected_components(G: Graph) -> Any:
    yield from _component_sets(G)


def number_connected_components(G: Graph) -> int:
    return _algorithms.connected_components(G.live).count


def is_connected(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def node_connected_component(G: Graph, n: Any) -> set:
    labels = _on_host(_algorithms.connected_components(G.live).labels)
    own = labels[G.id_of(n)]
    return {G._nodes[id] for id in np.nonzero(labels == own)[0].tolist()}


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components


def is_weakly_connected(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def core_number(G: Graph) -> dict:
    ids = np.array([G.id_of(node) for node in G], np.int32)
    if len(ids) and bool(G.live.has_edges(ids, ids).any()):
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return G._by_node(_algorithms.core_numbers(G.live).numbers)


_UNDIRECTED = {
    "triangles", "clustering", "average_clustering", "transitivity", "core_number", "connected_components",
    "number_connected_components", "is_connected", "node_connected_component",
}  # fmt: skip
_DIRECTED = {"weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"}


class _Backend:
    """NetworkX takes the functions from it."""

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)

    @staticmethod
    def can_run(name: str, args: tuple, kwargs: dict) -> bool | str:
        """True, or the reason why not."""
        try:
            given = inspect.signature(globals()[name]).bind(*args, **kwargs).arguments
        except TypeError:
            return f"{name}: an argument that rhizome does not know"
        graph = given["G"]
        if graph.is_multigraph():
            return "multigraphs are refused: rhizome keeps no parallel edges"
        if graph.is_directed() and name in _UNDIRECTED:
            return f"{name} is for undirected graphs"
        if not graph.is_directed() and name in _DIRECTED:
            return f"{name} is for directed graphs"
        if name == "pagerank" and not 0 <= given.get("alpha", 0.85) < 1:
            return "alpha is refused unless it is at least 0 and less than 1"
        for option in ("personalization", "nstart"):
            if any(value < 0 for value in (given.get(option) or {}).values()):
                return f"{option} with negative values is refused"
        if given.get("dangling") is not None:
            return "dangling is refused: the rank of vertices without out-edges is spread as personalization is"
        weight = given.get("weight")
        if name in ("clustering", "average_clustering") and weight is not None:
            return f"{name} with weights is refused"
        if callable(weight):
            return "a weight that is a function is refused"
        if name == "single_source_dijkstra_path_length" and given.get("cutoff") is not None:
            return "cutoff is refused"
        if isinstance(graph, Graph) and weight is not None and name.startswith(("pagerank", "single_source_dijkstra")):
            if graph.weight is not None and graph.weight != weight:
                return f"the graph keeps the attribute {graph.weight}, not {weight}"
        return True

    @staticmethod
    def should_run(name: str, args: tuple, kwargs: dict) -> bool | str:
        """For calls that name no backend: whether the conversion pays."""
        graph = args[0] if args else kwargs["G"]
        if isinstance(graph, Graph) or "rhizome" in getattr(graph, "__networkx_cache__", {}).get("backends", {}):
            return True
        if graph.number_of_edges() < 10_000:
            return "a graph of fewer than 10,000 edges is done before it is converted"
        return True


for _name in FUNCTIONS:
    setattr(_Backend, _name, staticmethod(globals()[_name]))

backend = _Backend()
