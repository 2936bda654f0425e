# SPDX-License-Identifier: Apache-2.0
"""A graph against sets of Python, and what it says about wrong calls."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import rhizome

ID_TYPES = [np.int32, np.uint32, np.int64, np.uint64]


def edges_of(graph):
    rows = graph.snapshot()._on_host()
    sources = np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]))
    pairs = zip(sources.tolist(), rows[1].tolist())
    return {pair for pair in pairs if graph.directed or pair[0] <= pair[1]}


def key(u, v, directed):
    return (u, v) if directed or u <= v else (v, u)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("dtype", ID_TYPES)
def test_random_batches_leave_what_a_set_has(device, directed, dtype):
    rng = np.random.default_rng(directed + 7)
    vertices = 200
    graph = rhizome.Graph(vertices, directed=directed, device=device)
    expected = set()
    for batch in range(30):
        source = rng.integers(0, vertices, 300).astype(dtype)
        target = rng.integers(0, vertices, 300).astype(dtype)
        pairs = {key(int(u), int(v), directed) for u, v in zip(source, target)}
        if batch % 3 == 2:
            report = graph.erase(source, target)
            assert report.applied == len(pairs & expected)
            expected -= pairs
        else:
            report = graph.insert(source, target)
            assert report.applied == len(pairs - expected)
            expected |= pairs
        assert report.total == 300
        assert graph.num_edges == len(expected)
    assert edges_of(graph) == expected
    assert graph.validate() == []
    ids = np.arange(vertices)
    rows = graph.neighbors(ids)
    for v in ids.tolist():
        own = {w for u, w in expected if u == v} | ({u for u, w in expected if w == v} if not directed else set())
        assert set(rows.indices[rows.indptr[v] : rows.indptr[v + 1]].tolist()) == own
    assert np.array_equal(np.asarray(graph.degrees()), np.diff(rows.indptr))
    assert np.array_equal(graph.degrees(ids), np.diff(rows.indptr))
    asked = rng.integers(0, vertices, (2, 1000))
    found = graph.has_edges(*asked)
    assert found.dtype == bool
    assert found.tolist() == [key(int(u), int(v), directed) in expected for u, v in asked.T]


@pytest.mark.parametrize("weights", ["float64", "float32", "int32"])
def test_weights_are_those_of_the_last_batch(device, weights):
    graph = rhizome.Graph(4, directed=True, weights=weights, device=device)
    assert graph.weights == weights
    graph.insert([0, 1], [1, 2], [3, 4])
    report = graph.insert([1, 2, 2], [2, 3, 3], np.array([5, 6, 7], weights))
    assert (report.applied, report.updated, report.duplicates) == (1, 1, 1)
    found, present = graph.edge_weights(np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0]))
    assert found.dtype == weights
    assert found.tolist() == [3, 5, 7, 0]
    assert present.tolist() == [True, True, True, False]
    rows = graph.neighbors(np.array([2, 0]))
    assert rows.weights.tolist() == [7, 3]
    assert graph.to_scipy().toarray()[1].tolist() == [0, 0, 5, 0]


def test_columns_may_differ_in_width_and_lie_apart(device):
    graph = rhizome.Graph(10, device=device, weights="float64")
    table = np.array([[0, 1], [1, 2], [2, 3]], np.int64)
    graph.insert(table[:, 0], table[:, 1].astype(np.int32), np.arange(6.0)[::2])
    assert edges_of(graph) == {(0, 1), (1, 2), (2, 3)}
    graph.insert(table[::-1, 0], table[::-1, 1], np.array([1.0, 2.0, 3.0])[::-1])
    assert graph.edge_weights([0, 2], [1, 3])[0].tolist() == [1.0, 3.0]
    read_only = np.array([5, 6])
    read_only.flags.writeable = False
    graph.insert(read_only, read_only + 1, [1, 1])
    assert graph.erase(read_only, np.array([6, 7], np.int32)).applied == 2
    assert graph.erase(table[:, 0].astype(np.int32), table[:, 1]).applied == 3
    big_endian = table[:, 0].astype(">i4")
    assert graph.insert(big_endian, table[:, 1], [1, 1, 1]).applied == 3
    unaligned = np.frombuffer(b"x" + np.array([7, 8], np.int32).tobytes(), np.uint8)[1:].view(np.int32)
    assert graph.insert(unaligned, [9, 9], [1, 1]).applied == 2
    assert graph.insert(np.array([1, 2], np.int8), np.array([8, 9], np.uint16), [1, 1]).applied == 2


def test_empty_batches_do_nothing(device):
    graph = rhizome.Graph(3, device=device)
    for empty in ([], np.array([], np.int32), np.empty(0, np.uint64)):
        assert graph.insert(empty, empty).total == 0
        assert graph.erase(empty, empty).total == 0
        assert len(graph.has_edges(empty, empty)) == 0
        assert len(graph.degrees(empty)) == 0
        assert graph.neighbors(empty).indptr.tolist() == [0]
    empty = rhizome.Graph(0, device=device)
    assert len(empty) == 0 and empty.num_edges == 0 and bool(empty)
    assert len(empty.degrees()) == 0
    assert rhizome.triangles(empty) == 0


@pytest.mark.parametrize(
    ("source", "target", "error", "text"),
    [
        ([0], [5], IndexError, r"dst\[0\]: 5 is no vertex of a graph of 5 vertices"),
        ([0, -1], [0, 0], IndexError, r"src\[1\]: -1 is no vertex"),
        (np.array([2**33]), [0], IndexError, r"src\[0\]: 8589934592 is no vertex"),
        (np.array([0, 0]), np.array([0, 2**32]), IndexError, r"dst\[1\]: 4294967296"),
        ([0.0], [1], TypeError, "src: ids of vertices, which are whole numbers, are wanted, not elements of type float64"),
        ([True], [1], TypeError, "src: an array of numbers is wanted"),
        (["a"], [1], TypeError, "src: an array of numbers is wanted, not elements of type str$"),
        ([[0, 1]], [1], ValueError, "src: an array of one dimension is wanted, not one of 2 dimensions"),
        (0, [1], ValueError, "src: an array of one dimension is wanted, not a single value"),
        ([2**70], [1], TypeError, "src: .* at most 64 bits is wanted, not this list, of which NumPy makes an array of objects"),
        ({0, 1}, [1], TypeError, "not this set, "),
        ([0, 1], [1], ValueError, "src has 2 ids, dst has 1"),
        (None, [1], TypeError, "src: .* not this NoneType"),
    ],
)
def test_wrong_ids_change_nothing(device, source, target, error, text):
    graph = rhizome.Graph(5, device=device)
    graph.insert([0, 1], [1, 2])
    for call in (graph.insert, graph.erase, graph.has_edges):
        if call == graph.has_edges and error is IndexError:
            continue  # an edge that cannot be is absent
        with pytest.raises(error, match=text):
            call(source, target)
    assert edges_of(graph) == {(0, 1), (1, 2)}


def test_wrong_weights_change_nothing(device):
    plain = rhizome.Graph(3, device=device)
    with pytest.raises(ValueError, match="weights for edges of a graph without weights"):
        plain.insert([0], [1], [1.0])
    graph = rhizome.Graph(3, weights="int32", device=device)
    for weights, error, text in [
        (None, ValueError, "have weights: pass one for each edge"),
        ([1, 2], ValueError, "1 edges have 2 weights"),
        ([0.5], TypeError, "Cannot cast"),
        ([2**31], ValueError, "holds a number that int32 cannot hold"),
        (["x"], TypeError, "weights: an array of numbers is wanted"),
    ]:
        with pytest.raises(error, match=text):
            graph.insert([0], [1], weights)
    with pytest.raises(ValueError, match="float32 cannot hold"):
        rhizome.Graph(3, weights="float32", device=device).insert([0], [1], [1e300])
    assert graph.num_edges == 0


def test_wrong_graphs_are_refused():
    for options, error, text in [
        ({"vertices": -1}, ValueError, "vertices: a number of at least 0"),
        ({"vertices": 1.5}, TypeError, "vertices: a whole number is wanted, not float"),
        ({"vertices": 2**31}, ValueError, "at most 2147483647 vertices"),
        ({"weights": "text"}, ValueError, "weights: .* wanted, not 'text'"),
        ({"device": "gpu"}, ValueError, "'cpu', 'cuda', 'cuda:N' or None are wanted, not 'gpu'"),
        ({"allocator": "none"}, ValueError, "there is no allocator 'none'"),
        ({"layout": "none"}, ValueError, "there is no layout 'none'"),
        ({"in_edges": True}, ValueError, "in_edges"),
    ]:
        with pytest.raises(error, match=text):
            rhizome.Graph(**{"device": "cpu", **options})
    if rhizome.cuda_unusable_because():
        with pytest.raises(RuntimeError, match="device 'cuda:3': "):
            rhizome.Graph(device="cuda:3")


def test_a_batch_without_memory_changes_nothing(device):
    rng = np.random.default_rng(5)
    vertices = 100_000
    graph = rhizome.Graph(vertices, device=device, memory_limit=64 << 20)
    first = rng.integers(0, vertices, (2, 10_000))
    graph.insert(*first)
    before = edges_of(graph)
    with pytest.raises(MemoryError, match="needed [0-9]+ bytes, available [0-9]+ bytes"):
        graph.insert(*rng.integers(0, vertices, (2, 20_000_000)))
    assert edges_of(graph) == before
    assert graph.validate() == []
    assert graph.insert(*rng.integers(0, vertices, (2, 1000))).total == 1000


def test_vertices_come_and_go(device):
    graph = rhizome.Graph(3, device=device)
    graph.insert([0, 1, 2], [1, 2, 2])
    assert repr(graph.erase_vertices([1])) == "VertexReport(erased=1, absent=0, duplicates=0, edges=2)"
    assert len(graph) == 2 and graph.id_bound == 3
    assert graph.degrees([0, 1, 2]).tolist() == [0, -1, 1]
    assert 1 not in graph and 2 in graph and 7 not in graph
    for call in (graph.insert, graph.erase):
        with pytest.raises(IndexError, match="1 of them name ids of no live vertex"):
            call([0, 2], [1, 0])
    assert np.asarray(graph.insert_vertices(2)).tolist() == [1, 3]
    graph.add_vertices(2)
    assert graph.id_bound == 6
    assert graph.insert([5], [1]).applied == 1
    assert (1, 5) in graph and (5, 4) not in graph and (5, 99) not in graph
    assert (5, -1) not in graph and -1 not in graph and 2**70 not in graph
    with pytest.raises(IndexError, match=r"ids\[1\]: 6 is no vertex"):
        graph.erase_vertices([0, 6])
    with pytest.raises(ValueError, match="at most"):
        graph.add_vertices(2**31)
    with pytest.raises(TypeError):
        (1, 2, 3) in graph
    assert graph.num_edges == 2


def test_a_snapshot_outlives_changes_and_the_graph(device):
    graph = rhizome.from_edges([0, 1], [1, 2], device=device)
    copied = graph.snapshot()
    graph.insert([0], [2])
    graph.close()
    del graph
    gc.collect()
    assert copied.to_scipy().toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert sorted(copied.to_networkx().edges) == [(0, 1), (1, 2)]


def test_from_what_other_libraries_have(device):
    import networkx as nx
    import scipy.sparse

    matrix = scipy.sparse.random_array((50, 50), density=0.1, rng=np.random.default_rng(3), format="coo")
    graph = rhizome.from_scipy(matrix, device=device)
    assert graph.weights == "float64" and graph.directed
    assert abs(graph.to_scipy() - matrix).max() == 0
    symmetric = (matrix + matrix.T).tocsr()
    undirected = rhizome.from_scipy(symmetric, directed=False, device=device)
    assert abs(undirected.to_scipy() - symmetric).max() == 0
    with pytest.raises(ValueError, match="not symmetric"):
        rhizome.from_scipy(matrix, directed=False, device=device)
    with pytest.raises(ValueError, match="square"):
        rhizome.from_scipy(matrix.tocsr()[:10], device=device)
    rows = matrix.tocsr()
    same = rhizome.from_csr(rows.indptr, rows.indices, rows.data, device=device)
    assert abs(same.to_scipy() - matrix).max() == 0
    for indptr in ([0, 2, 1, 3], [1, 3], [0, 2], []):
        with pytest.raises(ValueError, match="indptr"):
            rhizome.from_csr(np.array(indptr, np.int64), np.array([0, 1, 2]), device=device)
    karate = nx.karate_club_graph()
    named = nx.relabel_nodes(karate, lambda v: f"member {v}")
    graph = rhizome.from_networkx(named, weight="weight", device=device)
    assert graph.names == list(named)
    assert nx.utils.graphs_equal(
        graph.to_networkx(), nx.Graph((u, v, {"weight": float(w)}) for u, v, w in named.edges(data="weight"))
    )
    whole = scipy.sparse.csr_array(np.array([[0, 7], [7, 0]]))  # int64
    assert rhizome.from_scipy(whole, device=device).weights == "float64"
    assert rhizome.from_edges([0, 1], [1, 2], [3, 4], device=device).edge_weights([1], [2])[0].tolist() == [4.0]
    for call, text in [
        (lambda: rhizome.from_scipy(np.eye(3), device=device), "a sparse matrix .* not ndarray"),
        (lambda: rhizome.from_networkx([(0, 1)], device=device), "a graph of NetworkX is wanted, not list"),
        (lambda: rhizome.from_csr([0.0, 1.0], [0], device=device), "indptr: .* not elements of type float64"),
        (lambda: rhizome.from_edges(["a"], ["b"], device=device), "src: .* not elements of type str"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()
    with pytest.raises(ValueError, match="multigraph"):
        rhizome.from_networkx(nx.MultiGraph([(0, 1), (0, 1)]))


def test_files_are_read_and_written(device, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("# a comment\n10 20 0.5\n20 30 1.5\n")
    graph = rhizome.read(path, device=device)
    assert graph.names == [10, 20, 30] and graph.weights == "float64"
    assert graph.edge_weights([0, 1], [1, 2])[0].tolist() == [0.5, 1.5]
    assert rhizome.read(path, weights=None, device=device).weights is None
    graph.save(tmp_path / "graph.rhz")
    again = rhizome.read(tmp_path / "graph.rhz", device=device)
    assert edges_of(again) == edges_of(graph) and again.weights == "float64"
    metis = tmp_path / "graph.graph"
    rhizome.from_edges([0, 1], [1, 2], device=device).save(metis)
    assert metis.read_text().split()[:2] == ["3", "2"]
    assert rhizome.read(metis, device=device).names == [1, 2, 3]
    with pytest.raises(OSError, match="absent.graph: "):
        rhizome.read(tmp_path / "absent.graph", device=device)
    damaged = tmp_path / "damaged.graph"
    damaged.write_text("3 2\n2\n1 3\n9\n")
    with pytest.raises(ValueError, match="damaged.graph:4"):
        rhizome.read(damaged, device=device)
    with pytest.raises(ValueError, match="no ending that means a format"):
        graph.save(tmp_path / "graph.unknown")
    with pytest.raises(ValueError, match="there is no format 'tar'"):
        graph.save(tmp_path / "graph.rhz", format="tar")
    with pytest.raises(OSError, match="directed"):
        rhizome.Graph(2, directed=True, device=device).save(metis)
    with pytest.raises(OSError, match="weight 0.5; METIS files hold whole numbers"):
        graph.save(metis)


def test_the_graph_says_what_it_is(device):
    graph = rhizome.Graph(3, directed=True, weights="float64", device=device)
    assert repr(graph).startswith("<rhizome.Graph, directed, 3 vertices, 0 edges, float64 weights, on c")
    assert repr(graph.insert([0, 0], [1, 1], [1, 2])) == "Report(applied=1, duplicates=1)"
    assert graph.memory()["total"] > 0
    with graph as same:
        assert same is graph
    assert repr(graph) == "<rhizome.Graph, closed>"
    with pytest.raises(RuntimeError, match="closed"):
        graph.num_edges


def test_a_graph_gives_memory_back():
    random = np.random.default_rng(7)
    edges = random.integers(0, 20_000, (2, 60_000))
    passing = random.integers(0, 20_000, (2, 900_000))

    def swing(graph):
        graph.insert(*edges)
        graph.insert(*passing)
        graph.erase(*passing)
        graph.insert(*edges)

    graph = rhizome.Graph(20_000, device="cpu", compacts=False)
    graph.insert(*edges)
    kept = graph.num_edges
    swing(graph)
    by_itself = rhizome.Graph(20_000, device="cpu")
    swing(by_itself)
    assert by_itself.num_edges == kept
    assert by_itself.memory()["heap"] < graph.memory()["heap"] / 2
    before = graph.memory()
    assert before["compactable"] > 0
    assert graph.compact()["returned"] > 0
    assert graph.compact(0) == {"moved": 0, "returned": 0}
    assert graph.memory()["heap"] < before["heap"]
    assert graph.num_edges == kept
    assert graph.validate() == []
    with pytest.raises(ValueError, match="most_moved_bytes"):
        graph.compact(-1)


def test_pickling_is_refused_with_a_reason():
    graph = rhizome.Graph(3, device="cpu")
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            call(graph)


def test_threads_use_their_graphs_at_once_and_share_one(device):
    shared = rhizome.Graph(1000, device=device)
    failed = []

    def work(seed):
        try:
            rng = np.random.default_rng(seed)
            own = rhizome.Graph(1000, device=device, threads=2)
            expected = set()
            for _ in range(20):
                pairs = rng.integers(0, 1000, (2, 200))
                own.insert(*pairs)
                shared.insert(*pairs)
                expected |= {key(u, v, False) for u, v in pairs.T.tolist()}
            assert edges_of(own) == expected
            assert shared.has_edges(*np.array(sorted(expected)).T).all()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert shared.validate() == []


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_ten_thousand_graphs_leave_nothing_behind():
    def make(count):
        for _ in range(count):
            graph = rhizome.Graph(4, device="cpu", threads=1)
            graph.insert([0, 1], [1, 2])
            graph.snapshot()
            graph.neighbors([0])
        gc.collect()

    make(500)
    before = resident_bytes()
    make(9_500)
    assert resident_bytes() - before < 16 << 20


def in_a_new_process(code, **environment):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


def test_the_interpreter_ends_with_live_graphs():
    ended = in_a_new_process(
        """
        import rhizome
        kept = [rhizome.from_edges([0, 1], [1, 2]) for _ in range(3)]
        rows = kept[0].snapshot()
        ring = [kept]; ring.append(ring)
        print("end")
        """
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")


def test_a_forked_process_is_told_to_make_its_own():
    ended = in_a_new_process(
        """
        import os, rhizome, sys
        graph = rhizome.from_edges([0], [1], device="cpu")
        child = os.fork()
        if child == 0:
            try:
                graph.insert([0], [1])
            except RuntimeError as error:
                print(error, flush=True)
                own = rhizome.from_edges([0, 1], [1, 2], device="cpu")
                print(own.num_edges, flush=True)
            sys.exit(0)
        status = os.waitpid(child, 0)[1]
        print(status, graph.num_edges)
        """
    )
    lines = ended.stdout.splitlines()
    assert "before a fork" in lines[0] and lines[1:] == ["2", "0 1"], ended


def test_ctrl_c_ends_a_long_call():
    ended = in_a_new_process(
        """
        import os, signal, threading, time, rhizome, numpy as np
        rng = np.random.default_rng(1)
        graph = rhizome.from_edges(*rng.integers(0, 20000, (2, 200000)), device="cpu", threads=1)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            rhizome.pagerank(graph, tolerance=0.0, damping=0.9999, max_iterations=2**31)
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - begin < 20, rhizome.triangles(graph) >= 0)
        """
    )
    assert ended.stdout == "interrupted True True\n", ended


def test_the_import_is_quick_and_brings_no_library():
    ended = in_a_new_process(
        """
        import sys, rhizome
        print(sorted({name.partition(".")[0] for name in sys.modules} & {"numpy", "scipy", "networkx", "cupy", "torch"}))
        """
    )
    assert ended.stdout == "[]\n", ended
