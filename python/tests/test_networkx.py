# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX: graphs that change without a conversion, and what it refuses."""

import random

import networkx as nx
import pytest

import rhizome.networkx as rnx


def test_one_changed_line(device):
    G = nx.karate_club_graph()
    with nx.config.backends.rhizome(device=device):
        ranks = nx.pagerank(G, backend="rhizome")
    assert ranks == pytest.approx(nx.pagerank(G), abs=1e-5)
    assert list(ranks) == list(G)


@pytest.mark.parametrize("kind", [rnx.Graph, rnx.DiGraph])
def test_a_live_graph_follows_every_change(device, kind):
    rng = random.Random(6)
    ours = kind(weight="weight", device=device)
    theirs = nx.DiGraph() if kind is rnx.DiGraph else nx.Graph()
    names = [f"node {i}" for i in range(60)]
    for step in range(40):
        edges = [(rng.choice(names), rng.choice(names), {"weight": rng.randrange(1, 9)}) for _ in range(20)]
        some = rng.sample(names, 3)
        for graph in (ours, theirs):
            graph.add_edges_from(edges)
            graph.remove_edges_from([edge[:2] for edge in edges[::3]])
            if step % 5 == 4:
                graph.remove_nodes_from(some)
            graph.add_node(some[0])
        assert len(ours) == len(theirs) and ours.number_of_edges() == theirs.number_of_edges()
        assert nx.utils.graphs_equal(ours.to_networkx(), theirs)
        if step % 5 == 0:
            assert nx.pagerank(ours, tol=1e-9, max_iter=500) == pytest.approx(
                nx.pagerank(theirs, tol=1e-9, max_iter=500), abs=1e-6
            )
            options = {"personalization": {names[0]: 2, names[1]: 1, some[0]: 1}, "nstart": dict.fromkeys(theirs, 1.0)}
            assert nx.pagerank(ours, tol=1e-9, max_iter=500, **options) == pytest.approx(
                nx.pagerank(theirs, tol=1e-9, max_iter=500, **options), abs=1e-6
            )
            if kind is rnx.Graph:
                assert nx.triangles(ours) == nx.triangles(theirs)
                assert set(map(frozenset, nx.connected_components(ours))) == set(
                    map(frozenset, nx.connected_components(theirs))
                )
            u = next(iter(theirs))
            assert nx.single_source_dijkstra_path_length(ours, u) == pytest.approx(
                nx.single_source_dijkstra_path_length(theirs, u)
            )
    u, v = next(iter(theirs.edges()))
    assert ours.has_edge(u, v) and ours[u][v] == theirs[u][v]
    assert dict(ours[u]) == dict(theirs[u])
    assert sorted(ours.neighbors(u)) == sorted(theirs.neighbors(u))
    if kind is rnx.Graph:
        assert dict(ours.degree()) == dict(theirs.degree()) and ours.degree(u) == theirs.degree(u)
    else:
        assert dict(ours.out_degree()) == dict(theirs.out_degree())


def test_what_it_cannot_keep_is_refused_and_nothing_changes():
    G = rnx.Graph([("a", "b")], device="cpu")
    with pytest.raises(NotImplementedError, match="no attribute of edges, not colour"):
        G.add_edges_from([("b", "c"), ("c", "d", {"colour": "red"})])
    with pytest.raises(NotImplementedError, match="attributes of nodes"):
        G.add_node("c", colour="red")
    with pytest.raises(ValueError):
        G.add_edges_from([("b", "c"), ("c",)])
    assert list(G) == ["a", "b"] and list(G.edges()) == [("a", "b")]
    with pytest.raises(nx.NetworkXError):
        G.remove_edge("a", "z")
    with pytest.raises(nx.NetworkXError):
        G.remove_node("z")


def test_refusals_have_reasons():
    backend = nx.utils.backends._load_backend("rhizome")
    G, D, M = nx.path_graph(3), nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1)])
    for name, args, kwargs, text in [
        ("pagerank", (M,), {}, "multigraph"),
        ("pagerank", (G,), {"dangling": {0: 1}}, "dangling"),
        ("triangles", (D,), {}, "undirected"),
        ("is_weakly_connected", (G,), {}, "directed"),
        ("clustering", (G,), {"weight": "weight"}, "weights"),
        ("single_source_dijkstra_path_length", (G, 0), {"cutoff": 1}, "cutoff"),
        ("single_source_dijkstra_path_length", (G, 0), {"weight": lambda u, v, d: 1}, "function"),
    ]:
        assert text in backend.can_run(name, args, kwargs)
    assert backend.can_run("pagerank", (G,), {}) is True
    assert "fewer than" in backend.should_run("pagerank", (G,), {})


def test_conversions_are_kept_until_the_graph_changes():
    G = nx.gnm_random_graph(50, 200, seed=1)
    nx.triangles(G, backend="rhizome")
    assert "rhizome" in G.__networkx_cache__["backends"]
    G.add_edge(0, 1)
    assert not G.__networkx_cache__.get("backends")
