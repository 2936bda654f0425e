# SPDX-License-Identifier: Apache-2.0
"""Objects that lie, code that runs in the middle of a call, and ends at bad moments."""

import gc
import weakref

import networkx as nx
import numpy as np
import pytest

import rhizome
import rhizome.networkx as rnx

from test_graph import in_a_new_process


class Class:
    """Has the interface as a property of its type, as arrays have."""

    def __init__(self, value):
        self.value = value

    @property
    def __array_interface__(self):
        return self.value


@pytest.mark.parametrize(
    "changes",
    [
        {"strides": ()},
        {"data": ()},
        {"data": (None, False)},
        {"data": 5},
        {"shape": [2]},
        {"shape": (-2,)},
        {"shape": (2**62,), "strides": (8,)},
        {"shape": (2**62,), "strides": (0,)},
        {"data": (0, False)},
        {"typestr": 4},
        {"strides": ("x",)},
    ],
)
def test_a_malformed_interface_is_refused(changes):
    graph = rhizome.Graph(3, device="cpu")
    value = {**np.array([0, 1], np.int32).__array_interface__, **changes}
    with pytest.raises((TypeError, ValueError, MemoryError)):
        graph.degrees(Class(value))
    with pytest.raises(TypeError, match="malformed"):
        graph.degrees(Class([]))


def test_an_interface_without_data_is_a_buffer():
    class Buffered(np.ndarray):
        pass

    graph = rhizome.from_edges([0], [1], device="cpu")
    assert graph.degrees(np.array([0, 1]).view(Buffered)).tolist() == [1, 1]
    assert graph.degrees(np.ma.array([0, 1])).tolist() == [1, 1]
    assert graph.degrees(memoryview(np.array([1, 0]))).tolist() == [1, 1]
    for wrong in (np.array([1j]), np.array([None]), np.array([(1, 2)], "i4,i4"), np.array(["2020"], "M8[Y]")):
        with pytest.raises(TypeError):
            graph.degrees(wrong)
    assert graph.degrees(np.array([0, 1], np.int16)).tolist() == [1, 1]


def test_a_device_that_is_no_pair_is_refused():
    class Exporter:
        def __dlpack__(self, **_):
            raise AssertionError

        def __dlpack_device__(self):
            return ()

    with pytest.raises(TypeError, match="malformed"):
        rhizome.Graph(3, device="cpu").degrees(Exporter())
    array = rhizome.Graph(3, device="cpu")._core.degrees(None)
    for options in ({"max_version": ()}, {"dl_device": ()}, {"dl_device": (1,)}):
        with pytest.raises(TypeError):
            array.__dlpack__(**options)
    assert array.__array__(np.float32).dtype == np.float32
    assert np.asarray(array, np.int64).tolist() == [0, 0, 0]
    assert np.from_dlpack(array).tolist() == [0, 0, 0]


def test_a_type_of_arrays_is_not_kept():
    class Mine:
        def __array__(self, dtype=None, copy=None):
            return np.array([0])

    kept = weakref.ref(Mine)
    assert rhizome.Graph(1, device="cpu").degrees(Mine()).tolist() == [0]
    del Mine
    gc.collect()
    assert kept() is None


def test_a_signal_handler_that_uses_the_graph_is_told():
    ended = in_a_new_process(
        """
        import signal, numpy as np, rhizome
        graph = rhizome.from_edges(*np.random.default_rng(1).integers(0, 20000, (2, 200000)), device="cpu")
        seen = []
        def handler(*_):
            try:
                graph.num_edges
            except RuntimeError as error:
                seen.append(str(error))
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        rhizome.pagerank(graph, tolerance=1e-300, damping=0.9999, max_iterations=3000)
        print(len(seen), "in use by the call" in seen[0], graph.num_edges > 0)
        """
    )
    assert ended.stdout == "1 True True\n", ended


def test_streams_that_are_dropped_end_quietly():
    for end in ("del steps", "graph.close(); del steps", "pass"):
        ended = in_a_new_process(
            f"""
            import numpy as np, rhizome
            n = 300000
            graph = rhizome.Graph(device="cpu")
            steps = rhizome.stream((np.arange(n) % 1000, np.arange(n) % 777), graph, batch=100)
            next(steps)
            {end}
            """
        )
        assert (ended.returncode, ended.stderr) == (0, ""), (end, ended)


def test_ids_of_streams_have_limits():
    graph = rhizome.Graph(device="cpu")
    for source in (np.array([-5], np.int32), np.array([-1])):
        with pytest.raises(IndexError, match=r"src\[0\] is negative"):
            rhizome.stream((source, np.array([1])), graph)
    with pytest.raises(ValueError, match="2147483647 vertices at most"):
        next(rhizome.stream(([2**31 + 5], [0]), graph))
    assert graph.id_bound == 0


def test_numbers_out_of_range_are_named():
    for call in (
        lambda: rhizome.Graph(2**70, device="cpu"),
        lambda: rhizome.Graph(1, device="cpu", memory_limit=2**70),
        lambda: rhizome.Graph(1, device="cpu").add_vertices(2**64),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises((ValueError, RuntimeError)):
        rhizome.Graph(device=2**40)
    graph = rhizome.Graph(2, device="cpu")
    for source in (-1, 2, [0, 5]):
        with pytest.raises(IndexError):
            rhizome.bfs(graph, source)
    with pytest.raises(FileNotFoundError):
        rhizome.read("/absent.graph")
    with pytest.raises(FileNotFoundError):
        next(rhizome.stream(b"/absent.txt", graph))


def test_matrices_of_the_caller_stay_as_they_are():
    import scipy.sparse

    matrix = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert rhizome.from_scipy(matrix, device="cpu").edge_weights([0], [1])[0].tolist() == [3.0]
    assert matrix.nnz == 3
    graph = rhizome.from_csr(np.arange(301), np.zeros(300, np.uint8), device="cpu")
    assert graph.num_edges == 300


# Graphs for NetworkX.


def test_generators_may_use_the_graph():
    G = rnx.Graph(device="cpu")

    def edges():
        yield (1, 2)
        G.add_edge(3, 4)
        yield (5, 6)

    G.add_edges_from(edges())
    assert {frozenset(edge) for edge in G.edges()} == {frozenset(e) for e in ((1, 2), (3, 4), (5, 6))}
    steps = G.edges()
    G.remove_node(1)
    assert {frozenset(edge) for edge in steps} == {frozenset(e) for e in ((1, 2), (3, 4), (5, 6))}


def test_ids_of_removed_nodes_are_taken_again():
    G = rnx.Graph([(0, 1)], device="cpu")
    for _ in range(100):
        G.add_edge("t", 0)
        G.remove_node("t")
    assert len(G) == 2 and G.live.id_bound == 3


def test_weights_are_as_in_networkx():
    ours, theirs = rnx.Graph(weight="weight", device="cpu"), nx.Graph()
    for G in (ours, theirs):
        G.add_edge(0, 1, weight=5)
        G.add_edge(0, 1)
        G.add_edges_from([(1, 2, {"weight": 3}), (2, 1), (2, 3)])
    assert ours[0][1] == theirs[0][1] == {"weight": 5}
    assert ours.get_edge_data(1, 2) == {"weight": 3} and ours.get_edge_data(2, 3) == {"weight": 1}
    assert ours.get_edge_data(0, 3) is None
    for wrong in (None, "7"):
        with pytest.raises(TypeError, match="no number"):
            ours.add_edge(0, 1, weight=wrong)
    with pytest.raises(TypeError, match="no number"):
        rhizome.from_networkx(nx.Graph([(0, 1, {"weight": None})]), "weight", device="cpu")


def test_answers_are_those_of_networkx():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)]
    ours, theirs = rnx.Graph(edges, device="cpu"), nx.Graph(edges)
    assert sorted(map(sorted, ours.edges([0, 3]))) == sorted(map(sorted, theirs.edges([0, 3])))
    assert dict(ours.nodes(data=True)) == dict(theirs.nodes(data=True)) and list(nx.nodes(ours)) == [0, 1, 2, 3]
    assert nx.single_source_dijkstra_path_length(ours, 0, weight=None) == {0: 0, 1: 1, 2: 1, 3: 2}
    for cutoff in (-1, 0, 1.5):
        assert nx.single_source_shortest_path_length(ours, 0, cutoff=cutoff) == nx.single_source_shortest_path_length(
            theirs, 0, cutoff=cutoff
        )
    for call in (nx.triangles, nx.clustering):
        with pytest.raises(nx.NetworkXError):
            call(ours, 77)
    with pytest.raises(KeyError):
        nx.node_connected_component(ours, 77)
    for refused in ({"alpha": 1.0}, {"personalization": {0: -1.0}}):
        assert isinstance(
            nx.utils.backends._load_backend("rhizome").can_run("pagerank", (theirs,), refused), str
        )


def test_a_change_of_nodes_is_not_missed():
    with nx.config(fallback_to_nx=True):
        G = rnx.Graph([(0, 1)], device="cpu")
        assert nx.number_of_isolates(G) == 0
        G.add_node(9)
        assert nx.number_of_isolates(G) == 1


def test_nothing_is_dropped_without_a_word():
    with pytest.raises(NotImplementedError, match="colour"):
        rnx.Graph(nx.Graph([(0, 1, {"colour": "red"})]), device="cpu")
    G = rnx.Graph([(0, 1)], title="T", device="cpu")
    assert G.copy().graph == {"title": "T"} and list(G.copy().edges()) == [(0, 1)]

    class Mine(rnx.Graph):
        def __init__(self):
            super().__init__(device="cpu")

    assert type(Mine().copy()) is Mine
    with pytest.raises(AttributeError, match="to_networkx"):
        G.subgraph([0])


def test_a_named_stream_leaves_no_cycle():
    graph = rhizome.Graph(device="cpu")
    steps = rhizome.stream(([7, 9], [9, 11]), graph, batch=1, map_names=True)
    next(steps)
    assert graph.names == [7, 9]
    next(steps)
    gc.disable()
    try:
        del steps
        assert graph.names == [7, 9, 11]
        gone = weakref.ref(graph)
        del graph
        assert gone() is None
    finally:
        gc.enable()
