# SPDX-License-Identifier: Apache-2.0
"""What a program that uses the package looks like to a type checker. test_types.py gives it to mypy; it is never run."""

import typing

import numpy as np

import rhizome
import rhizome.networkx as rnx

graph = rhizome.Graph(vertices=3, weights="float64", device="cpu")
report = graph.insert(np.array([0, 1]), [1, 2], [0.5, 2.0])
typing.assert_type(report, rhizome.Report)
typing.assert_type(report.applied, int)
typing.assert_type(graph.erase_vertices([0]), rhizome.VertexReport)
typing.assert_type(graph.num_edges, int)
typing.assert_type(graph.weights, str | None)
typing.assert_type(graph.memory(), dict[str, int])
typing.assert_type(rhizome.read("a.txt", directed=True), rhizome.Graph)
typing.assert_type(rhizome.from_edges([0], [1], device="cpu"), rhizome.Graph)
typing.assert_type(rhizome.pagerank(graph, weighted=True).converged, bool)
typing.assert_type(rhizome.local_triangles(graph).count, int)
typing.assert_type(rhizome.triangles(graph), int)
for batch in rhizome.stream(("a", "b"), graph, window="30d"):
    typing.assert_type(batch, rhizome.Batch)
    typing.assert_type(batch.inserted, rhizome.Report)


def on_host(array: rhizome.Array) -> np.ndarray:
    return array.numpy()


with graph as same:
    typing.assert_type(same, rhizome.Graph)
typing.assert_type(len(rnx.Graph([("a", "b")])), int)

rhizome.pagerank(3)  # type: ignore[arg-type]
graph.insert([0])  # type: ignore[call-arg]
report.appleid  # type: ignore[attr-defined]
rhizome.no_such_function()  # type: ignore[attr-defined]
