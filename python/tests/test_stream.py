# SPDX-License-Identifier: Apache-2.0
"""Streams against sets: files and arrays, windows, time steps, names."""

import numpy as np
import pytest

import rhizome

from test_graph import edges_of, key


def replay(updates, directed=False):
    """The edges after updates (insert?, u, v)."""
    edges = set()
    for inserts, u, v in updates:
        (edges.add if inserts else edges.discard)(key(u, v, directed))
    return edges


@pytest.mark.parametrize("directed", [False, True])
def test_a_file_and_arrays_give_the_same_graph(device, tmp_path, directed):
    rng = np.random.default_rng(8)
    src, dst = rng.integers(0, 50, (2, 3000))
    erased = rng.random(3000) < 0.4
    path = tmp_path / "updates.txt"
    path.write_text("".join(f"{'-' if e else '+'} {u} {v}\n" for e, u, v in zip(erased, src, dst)))
    steps = list(zip(~erased, src.tolist(), dst.tolist()))
    for source, options in [(path, {}), ((src, dst.astype(np.int32)), {"erasures": erased})]:
        graph = rhizome.Graph(directed=directed, device=device)
        seen = 0
        for batch in rhizome.stream(source, graph, batch=700, **options):
            seen += batch.updates
            assert edges_of(graph) == replay(steps[:seen], directed)
            assert batch.num_edges == graph.num_edges and batch.num_vertices == graph.num_vertices
            assert batch.updates == batch.superseded + batch.inserted.total + batch.erased.total
            assert batch.number == (seen + 699) // 700
        assert seen == 3000
        assert repr(batch).startswith("Batch(number=5, updates=200, inserted=")


def test_windows_and_time_steps(device):
    rng = np.random.default_rng(9)
    src, dst = rng.integers(0, 40, (2, 2000))
    day = np.sort(rng.integers(0, 100, 2000)) * 86400
    order = rng.permutation(2000)  # arrays need not be in the order of time
    graph = rhizome.Graph(40, device=device)
    days = 0
    for batch in rhizome.stream(
        (src[order], dst[order]), graph, times=day[order], window="10d", time_step="1d", batch=5000
    ):
        days += 1
        now = np.unique(day)[days - 1]
        recent = (day <= now) & (day > now - 10 * 86400)
        assert edges_of(graph) == {key(u, v, False) for u, v in zip(src[recent].tolist(), dst[recent].tolist())}
    assert days == len(np.unique(day))
    last = rhizome.Graph(40, device=device)
    for batch in rhizome.stream((src, dst), last, batch=100, window="300e"):
        pass
    assert edges_of(last) == {key(u, v, False) for u, v in zip(src[-300:].tolist(), dst[-300:].tolist())}
    assert 0 < batch.expired <= 100 and batch.updates == 100 + batch.expired


def test_names_and_weights(device, tmp_path):
    path = tmp_path / "temporal.txt"
    path.write_text("ann bob 1 0.5\nbob cid 2 1.5\nann bob 3 2.5\ncid dan 4 3.5\n")
    graph = rhizome.Graph(weights="float64", device=device)
    steps = iter(rhizome.stream(path, graph, batch=2, map_names=True, format="temporal"))
    next(steps)
    assert graph.names == ["ann", "bob", "cid"]
    next(steps)
    assert graph.names == ["ann", "bob", "cid", "dan"]
    with pytest.raises(StopIteration):
        next(steps)
    assert graph.edge_weights([0, 1, 2], [1, 2, 3])[0].tolist() == [2.5, 1.5, 3.5]
    for _ in rhizome.stream((np.array([7, 9]), np.array([9, 7])), rhizome.Graph(device=device), map_names=True):
        pass


def test_the_graph_may_be_used_between_batches(device):
    src, dst = np.arange(100), np.arange(1, 101)
    graph = rhizome.Graph(device=device)
    ranks = []
    for batch in rhizome.stream((src, dst), graph, batch=10):
        ranks.append(rhizome.pagerank(graph).iterations)
        graph.erase([src[batch.number * 10 - 1]], [dst[batch.number * 10 - 1]])
        if batch.number == 5:
            break
    assert len(ranks) == 5 and graph.num_edges == 45
    graph.close()


def test_what_is_wrong_with_a_stream(device, tmp_path):
    graph = rhizome.Graph(3, device=device)
    pair = (np.array([0, 1]), np.array([1, 2]))
    for arguments, options, error, text in [
        ((pair, graph), {"batch": 0}, ValueError, "batch: at least 1"),
        ((pair, "graph"), {}, TypeError, "a rhizome.Graph is wanted"),
        ((5, graph), {}, TypeError, "a path or a pair of arrays"),
        ((pair, graph), {"window": "later"}, ValueError, "later"),
        ((pair, graph), {"window": "3d"}, ValueError, "times"),
        ((pair, graph), {"time_step": "3d"}, ValueError, "times"),
        ((pair, graph), {"times": np.array([1])}, ValueError, "2 updates have 1 times"),
        ((pair, graph), {"erasures": np.array([1, 0])}, TypeError, "bool"),
        ((pair, graph), {"map_names": True}, ValueError, "no names"),
        (("absent.txt", graph), {}, OSError, "absent.txt"),
        (("absent.txt", graph), {"weights": np.array([1.0])}, ValueError, "in arrays"),
        (("absent.txt", graph), {"format": "tar"}, ValueError, "no format 'tar'"),
    ]:
        with pytest.raises(error, match=text):
            for _ in rhizome.stream(*arguments, **options):
                pass
    damaged = tmp_path / "damaged.txt"
    damaged.write_text("+ 0 1\n+ 1 x\n")
    with pytest.raises(ValueError, match="damaged.txt:2"):
        for _ in rhizome.stream(damaged, graph):
            pass
    with pytest.raises(IndexError, match="no live vertex"):
        for _ in rhizome.stream((np.array([0]), np.array([5])), graph, grow=False):
            pass
    assert graph.num_edges == 0
