# SPDX-License-Identifier: Apache-2.0
"""Arrays of libraries on a GPU: used in place, in the order of their streams."""

import numpy as np
import pytest

import rhizome

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(rhizome.cuda_unusable_because() != "", reason="no GPU can be used"),
]


def test_cupy_arrays_are_used_in_place():
    cp = pytest.importorskip("cupy")
    graph = rhizome.Graph(1000, weights="float32", device="cuda")
    source = cp.arange(999, dtype=cp.int64)
    assert graph.insert(source, source + 1, cp.full(999, 0.5, cp.float32)).applied == 999
    found = graph.has_edges(source, source + 1)
    assert isinstance(found, cp.ndarray) and found.dtype == bool and bool(found.all())
    rows = graph.neighbors(source.astype(cp.uint32))
    assert isinstance(rows.indices, cp.ndarray) and rows.indices.dtype == cp.int32 and rows.weights.dtype == cp.float32
    assert int(rows.indptr[-1]) == 2 * 999 - 1
    table = cp.stack([source, source + 1], axis=1)
    assert graph.erase(table[::2, 0], table[::2, 1]).applied == 500
    for wrong, error, text in [
        (cp.array([0.5]), TypeError, "float64"),
        (cp.array([1], cp.int16), TypeError, "on a device"),
        (cp.array([[1]]), ValueError, "one dimension"),
        (cp.array([5, 1000]), IndexError, r"src\[1\]"),
        (cp.array([-1], cp.int32), IndexError, r"src\[0\]"),
    ]:
        with pytest.raises(error, match=text):
            graph.erase(wrong, wrong)
    with pytest.raises(TypeError, match="float32, as the graph has them"):
        graph.insert(source[:1], source[:1], cp.array([1.0]))
    with pytest.raises(ValueError, match="different devices"):
        graph.erase(source, np.arange(999))
    with pytest.raises(ValueError, match="the graph on the CPU"):
        rhizome.Graph(5, device="cpu").insert(source, source)
    with pytest.raises(ValueError, match="backwards"):
        graph.erase(source[::-1], source[::-1])


def test_work_of_the_callers_stream_comes_first():
    cp = pytest.importorskip("cupy")
    graph = rhizome.Graph(1 << 20, device="cuda")
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        for value in range(1, 20):
            waste = cp.random.random((2000, 2000))
            for _ in range(5):
                waste = waste @ waste / 1000  # milliseconds before the ids are there
            ids = cp.zeros(1, cp.int32) + value
            ids = ids + (waste[0, 0] * 0).astype(cp.int32)
            graph.insert(ids, ids + 1)
            ranks = rhizome.pagerank(graph).ranks
            assert abs(float(cp.from_dlpack(ranks).sum()) - 1) < 1e-9
    assert graph.num_edges == 19


def test_torch_tensors_are_used_in_place():
    torch = pytest.importorskip("torch")
    graph = rhizome.Graph(1000, device="cuda")
    pairs = torch.stack([torch.arange(999), torch.arange(1, 1000)]).cuda()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert graph.insert(*(pairs + 0)).applied == 999
    found = graph.has_edges(*pairs)
    assert found.is_cuda and found.dtype == torch.bool and bool(found.all())
    rows = graph.neighbors(pairs[0].to(torch.int32))
    assert rows.indices.is_cuda and rows.indices.dtype == torch.int32
    on_host = graph.degrees(torch.arange(1000))
    assert not on_host.is_cuda and int(on_host.sum()) == 2 * 999
    ranks = torch.from_dlpack(rhizome.pagerank(graph).ranks)
    graph.close()
    del graph
    assert abs(float(ranks.sum()) - 1) < 1e-9
    columns = pairs.T.contiguous()
    again = rhizome.from_edges(columns[:, 0], columns[:, 1], device="cuda")
    assert again.num_edges == 999


def test_arrays_outlive_the_graph_and_go_to_several_libraries():
    cp = pytest.importorskip("cupy")
    graph = rhizome.from_edges(np.arange(99), np.arange(1, 100), device="cuda")
    rows = graph.snapshot()
    indices = cp.from_dlpack(rows.indices)
    same = cp.asarray(rows.indices)
    graph.insert([0], [50])
    del graph, rows
    assert int(indices.sum()) == int(same.sum()) == 2 * 4950 - 99


def test_freed_arrays_are_taken_again():
    cp = pytest.importorskip("cupy")
    graph = rhizome.Graph(1 << 20, device="cuda")
    for _ in range(20):
        cp.from_dlpack(rhizome.pagerank(graph).ranks)
    before = cp.cuda.runtime.memGetInfo()[0]
    for _ in range(500):
        cp.from_dlpack(rhizome.pagerank(graph).ranks)
    assert before - cp.cuda.runtime.memGetInfo()[0] < 64 << 20


def test_a_wrong_device_is_named():
    with pytest.raises(ValueError, match="there is no device cuda:99"):
        rhizome.Graph(device="cuda:99")


@pytest.mark.skipif(rhizome.cuda_device_count() < 2, reason="there is one GPU")
def test_the_second_device():
    cp = pytest.importorskip("cupy")
    graph = rhizome.Graph(10, device="cuda:1")
    assert graph.device == "cuda:1"
    with cp.cuda.Device(1):
        ids = cp.arange(9, dtype=cp.int32)
    assert graph.insert(ids, ids).applied == 9
    with pytest.raises(ValueError, match="another GPU"):
        graph.insert(cp.arange(3), cp.arange(3))
