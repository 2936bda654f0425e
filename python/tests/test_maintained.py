# SPDX-License-Identifier: Apache-2.0
"""Results that follow a graph are those of the functions."""

import gc

import numpy as np
import pytest

import rhizome

functions = {
    "triangles": rhizome.local_triangles,
    "connected_components": rhizome.connected_components,
    "core_numbers": rhizome.core_numbers,
    "pagerank": lambda graph: rhizome.pagerank(graph, tolerance=1e-10, max_iterations=1000),
    "weighted_pagerank": lambda graph: rhizome.pagerank(graph, tolerance=1e-10, max_iterations=1000, weighted=True),
    "bfs": lambda graph: rhizome.bfs(graph, 0),
    "sssp": lambda graph: rhizome.sssp(graph, 0),
}
options = {"bfs": {"source": 0}, "sssp": {"source": 0}}


def host(array):
    return array if isinstance(array, np.ndarray) else array.numpy()


@pytest.mark.parametrize("algorithm", functions)
@pytest.mark.parametrize("weights", [None, "float64", "float32", "int32"])
def test_follows(device, algorithm, weights):
    if weights is None and algorithm in ("weighted_pagerank", "sssp"):
        pytest.skip("needs weights")
    random = np.random.default_rng(1)
    graph = rhizome.Graph(50, weights=weights, device=device)

    def insert(count):
        src, dst = random.integers(0, graph.num_vertices, (2, count))
        graph.insert(src, dst, None if weights is None else random.integers(1, 9, count).astype(weights))
        return src, dst

    insert(120)
    with rhizome.maintain(graph, algorithm, **options.get(algorithm, {})) as kept:
        for step in range(12):
            src, dst = insert(15)
            if step % 2 == 0:
                graph.erase(src[:8], dst[:8])
            if step % 5 == 4:
                graph.add_vertices(2)
            found, expected = kept.update(), functions[algorithm](graph)
            if algorithm.endswith("pagerank"):
                assert found.converged and found.error <= 1e-6
                assert np.abs(host(found.ranks) - host(expected.ranks)).sum() <= found.error + 1e-9
                continue
            for name, of_found, of_expected in zip(found._fields, found, expected):
                if name == "parents":
                    continue
                if isinstance(of_found, int):
                    assert of_found == of_expected, name
                else:
                    assert np.array_equal(host(of_found), host(of_expected)), name
    with pytest.raises(ValueError, match="closed"):
        kept.update()


def test_of_a_stream():
    graph = rhizome.Graph(30)
    kept = rhizome.maintain(graph, "triangles")
    random = np.random.default_rng(2)
    edges = random.integers(0, 30, (400, 2))
    counts = []
    for _ in rhizome.stream(tuple(edges.T), graph, batch=50, window="120e"):
        counts.append(kept.update().count)
        assert counts[-1] == rhizome.triangles(graph)
    assert len(counts) == 8 and max(counts) > 0


def test_repairs():
    random = np.random.default_rng(3)
    graph = rhizome.Graph(3000)
    graph.insert(*random.integers(0, 3000, (2, 60_000)))
    kept = rhizome.maintain(graph, "triangles")
    kept.update()
    assert kept.recomputed
    repaired = 0
    for _ in range(5):
        graph.insert(*random.integers(0, 3000, (2, 5)))
        assert kept.update().count == rhizome.triangles(graph)
        repaired += not kept.recomputed
    assert repaired > 0


def test_refuses():
    graph = rhizome.Graph(4)
    with pytest.raises(ValueError, match="'triangles'.*not 'nothing'"):
        rhizome.maintain(graph, "nothing")
    with pytest.raises(TypeError, match="Graph is wanted"):
        rhizome.maintain(None, "triangles")
    with pytest.raises(TypeError, match="maintain 'triangles': .*damping"):
        rhizome.maintain(graph, "triangles", damping=0.5)
    with pytest.raises(TypeError, match="maintain 'bfs': .*source"):
        rhizome.maintain(graph, "bfs")
    with pytest.raises(IndexError):
        rhizome.maintain(graph, "bfs", source=9)
    directed = rhizome.Graph(4, directed=True)
    with pytest.raises(ValueError, match="directed"):
        rhizome.maintain(directed, "triangles").update()


def test_ends_with_the_last_reference():
    graph = rhizome.Graph(1000)
    random = np.random.default_rng(4)
    graph.insert(*random.integers(0, 1000, (2, 5000)))
    for _ in range(200):
        rhizome.maintain(graph, "connected_components").update()
    gc.collect()
    for number in (0, 199):  # they are gone
        with pytest.raises(IndexError):
            graph._core.update_result("components", number)
    kept = rhizome.maintain(graph, "triangles")
    graph.close()
    kept.close()  # nothing is left to free
    assert "closed" in repr(kept)
