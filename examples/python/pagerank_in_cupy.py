# SPDX-License-Identifier: Apache-2.0
"""PageRank on a changing graph whose edges are CuPy arrays: nothing leaves the GPU."""

import cupy as cp

import rhizome

rng = cp.random.default_rng(1)
vertices = 1 << 16
graph = rhizome.Graph(vertices, directed=True, device="cuda", in_edges=True)
ranks = None
for day in range(5):
    source = rng.integers(0, vertices, 200_000, dtype=cp.int32)
    target = (rng.power(0.3, 200_000) * vertices).astype(cp.int32)
    report = graph.insert(source, target)
    found = rhizome.pagerank(graph, start=ranks)  # from the ranks of the day before
    ranks = found.ranks
    top = cp.argsort(-cp.from_dlpack(ranks))[:3]
    print(f"day {day}: {report.applied} new edges, {found.iterations} iterations, top {top.tolist()}")
