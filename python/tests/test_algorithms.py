# SPDX-License-Identifier: Apache-2.0
"""Algorithms against NetworkX, on graphs that change."""

import networkx as nx
import numpy as np
import pytest

import rhizome


def on_host(array):
    return array if isinstance(array, np.ndarray) else array.numpy()


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def pair(request, device):
    """A graph after insertions and erasures, and the same in NetworkX."""
    rng = np.random.default_rng(4)
    directed = request.param
    weights = {}
    ours = rhizome.Graph(120, directed=directed, weights="float64", device=device, in_edges=directed)
    for _ in range(5):
        u, v = rng.integers(0, 100, (2, 150))
        w = rng.random(150) + 0.1
        ours.insert(u, v, w)
        for a, b, c in zip(u.tolist(), v.tolist(), w.tolist()):
            weights[(a, b) if directed or a <= b else (b, a)] = c
        gone = list(weights)[::4]
        ours.erase(*np.array(gone).T)
        for each in gone:
            del weights[each]
    theirs = nx.DiGraph() if directed else nx.Graph()
    theirs.add_nodes_from(range(120))
    theirs.add_weighted_edges_from((a, b, c) for (a, b), c in weights.items())
    assert ours.num_edges == theirs.number_of_edges()
    return ours, theirs


def ranks_of(theirs, **options):
    found = nx.pagerank(theirs, tol=1e-14, max_iter=10_000, **options)
    return np.array([found[v] for v in range(len(theirs))])


def test_pagerank(pair):
    ours, theirs = pair
    found = rhizome.pagerank(ours, tolerance=1e-12, max_iterations=1000)
    assert found.converged and found.iterations > 3 and found.residual <= 1e-12
    expected = ranks_of(theirs, weight=None)
    assert np.allclose(on_host(found.ranks), expected, rtol=0, atol=1e-11)
    single = rhizome.pagerank(ours, dtype="float32")
    assert on_host(single.ranks).dtype == np.float32
    assert np.allclose(on_host(single.ranks), expected, rtol=0, atol=1e-5)
    by_weight = rhizome.pagerank(ours, tolerance=1e-12, max_iterations=1000, weighted=True)
    assert np.allclose(on_host(by_weight.ranks), ranks_of(theirs, weight="weight"), rtol=0, atol=1e-11)
    again = rhizome.pagerank(ours, tolerance=1e-10, start=found.ranks)
    assert again.iterations <= 2
    jumps = {3: 1.0, 7: 2.0}
    personal = rhizome.pagerank(ours, tolerance=1e-12, max_iterations=1000, personalization=jumps)
    assert np.allclose(
        on_host(personal.ranks), ranks_of(theirs, weight=None, personalization=jumps), rtol=0, atol=1e-11
    )
    both = rhizome.pagerank(ours, tolerance=1e-12, max_iterations=1000, personalization=jumps, weighted=True)
    expected = ranks_of(theirs, weight="weight", personalization=jumps)
    assert np.allclose(on_host(both.ranks), expected, rtol=0, atol=1e-11)
    again = rhizome.pagerank(ours, tolerance=1e-10, start=both.ranks, personalization=jumps, weighted=True)
    assert again.iterations <= 2
    for wrong in (
        {"damping": 1.0},
        {"tolerance": -1.0},
        {"dtype": "int32"},
        {"weighted": True, "dtype": "float32"},
        {"weighted": True, "start": np.full(500, 1.0)},
        {"weighted": True, "personalization": {500: 1.0}},
        {"start": np.full(500, 1.0)},
        {"start": np.array([-1.0])},
        {"personalization": {500: 1.0}},
        {"personalization": ([1], [1.0, 2.0])},
    ):
        with pytest.raises((ValueError, IndexError)):
            rhizome.pagerank(ours, **wrong)
    for wrong, text in [
        ({"max_iterations": 1.5}, "max_iterations: a whole number"),
        ({"start": 3}, "start: an array"),
        ({"personalization": [1]}, "personalization: a dict or a pair"),
        ({"personalization": {"a": 1}}, "personalization: an array of numbers is wanted"),
    ]:
        with pytest.raises(TypeError, match=text):
            rhizome.pagerank(ours, **wrong)
    with pytest.raises(ValueError, match="names no vertex"):
        rhizome.pagerank(ours, personalization={})


def test_triangles(pair):
    ours, theirs = pair
    plain = nx.Graph(theirs)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    expected = nx.triangles(plain)
    assert rhizome.triangles(ours) == sum(expected.values()) // 3
    found = rhizome.local_triangles(ours)
    assert found.count == sum(expected.values()) // 3
    assert on_host(found.per_vertex).tolist() == [expected[v] for v in range(120)]


def test_searches(pair):
    ours, theirs = pair
    levels = nx.single_source_shortest_path_length(theirs, 5)
    found = rhizome.bfs(ours, 5, parents=True)
    assert on_host(found.levels).tolist() == [levels.get(v, -1) for v in range(120)]
    assert found.reached == len(levels)
    parents = on_host(found.parents)
    for v, level in levels.items():
        assert parents[v] == 5 if level == 0 else levels[int(parents[v])] == level - 1
    distances = nx.single_source_dijkstra_path_length(theirs, 5)
    paths = rhizome.sssp(ours, 5)
    assert paths.parents is None
    assert np.allclose(on_host(paths.distances), [distances.get(v, np.inf) for v in range(120)])
    several = rhizome.bfs(ours, np.array([5, 9]))
    other = nx.single_source_shortest_path_length(theirs, 9)
    both = [min(levels.get(v, 999), other.get(v, 999)) for v in range(120)]
    assert on_host(several.levels).tolist() == [-1 if level == 999 else level for level in both]
    for wrong in (120, -1, [3, 500]):
        with pytest.raises((ValueError, IndexError)):
            rhizome.bfs(ours, wrong)
    with pytest.raises(ValueError, match="weights"):
        rhizome.sssp(rhizome.Graph(3, device=ours.device), 0)


def test_whole_weights_give_whole_distances(device):
    graph = rhizome.from_edges([0, 1], [1, 2], np.array([3, 4], np.int32), vertices=4, device=device)
    found = on_host(rhizome.sssp(graph, 0).distances)
    assert found.dtype == np.int64 and found.tolist() == [0, 3, 7, -1]


def test_components_and_cores(pair):
    ours, theirs = pair
    found = rhizome.connected_components(ours)
    parts = list(nx.weakly_connected_components(theirs) if theirs.is_directed() else nx.connected_components(theirs))
    assert found.count == len(parts)
    labels = on_host(found.labels)
    for part in parts:
        assert {int(labels[v]) for v in part} == {min(part)}
    plain = nx.Graph(theirs)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    cores = nx.core_number(plain)
    found = rhizome.core_numbers(ours)
    assert on_host(found.numbers).tolist() == [cores[v] for v in range(120)]
    assert found.largest == max(cores.values())


def test_something_else_than_a_graph():
    with pytest.raises(TypeError, match="a rhizome.Graph is wanted, not Graph"):
        rhizome.pagerank(nx.Graph())
