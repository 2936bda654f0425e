#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inserts random edges in batches and ranks the vertices, with Rhizome beside other Python packages, in one process.

    python bench/python/compare.py [--edges 1000000] [--batch 100000] [--vertices 100000] [--repetitions 5]
        [--only NAMES] [--json FILE] [--csv FILE]

Packages that are not installed are left out, by a line that says so. Medians of all repetitions, in milliseconds: of
inserting all batches, and of PageRank (damping 0.85, 20 iterations or as near as the package allows) afterwards. Rhizome
and networkit use the threads of OMP_NUM_THREADS (default: one per core); the others use one.
"""

import argparse
import csv
import importlib
import json
import os
import statistics
import time

import numpy as np


class Rhizome:
    name = "rhizome"

    def __init__(self, vertices):
        import rhizome

        self.library = rhizome
        threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
        self.graph = rhizome.Graph(vertices, directed=True, device="cpu", threads=threads, in_edges=True)

    def insert(self, source, target):
        self.graph.insert(source, target)

    def rank(self):
        return self.library.pagerank(self.graph, tolerance=0.0, max_iterations=20).ranks


class Networkit:
    name = "networkit"

    def __init__(self, vertices):
        import networkit

        self.library = networkit
        self.graph = networkit.Graph(vertices, directed=True)

    def insert(self, source, target):
        self.graph.addEdges((source, target), checkMultiEdge=True)

    def rank(self):
        ranks = self.library.centrality.PageRank(self.graph, damp=0.85, tol=1e-9)
        ranks.maxIterations = 20
        return ranks.run().scores()


class Igraph:
    name = "igraph"

    def __init__(self, vertices):
        import igraph

        self.graph = igraph.Graph(n=vertices, directed=True)

    def insert(self, source, target):
        self.graph.add_edges(np.column_stack([source, target]))
        self.graph.simplify(loops=False)

    def rank(self):
        return self.graph.pagerank(damping=0.85)


class Networkx:
    name = "networkx"

    def __init__(self, vertices):
        import networkx

        self.library = networkx
        self.graph = networkx.DiGraph()
        self.graph.add_nodes_from(range(vertices))

    def insert(self, source, target):
        self.graph.add_edges_from(zip(source.tolist(), target.tolist()))

    def rank(self):
        try:
            return self.library.pagerank(self.graph, max_iter=20, tol=1e-12)
        except self.library.PowerIterationFailedConvergence:
            return None


class Scipy:
    """Compressed sparse rows, built anew with each batch."""

    name = "scipy"

    def __init__(self, vertices):
        import scipy.sparse

        self.library = scipy.sparse
        self.matrix = scipy.sparse.csr_array((vertices, vertices), dtype=bool)

    def insert(self, source, target):
        batch = self.library.coo_array((np.ones(len(source), bool), (source, target)), shape=self.matrix.shape)
        self.matrix = (self.matrix + batch.tocsr()).astype(bool)

    def rank(self):
        degrees = np.diff(self.matrix.indptr)
        vertices = len(degrees)
        pulled = self.matrix.T.astype(np.float64).tocsr()
        ranks = np.full(vertices, 1 / vertices)
        for _ in range(20):
            given = np.divide(ranks, degrees, out=np.zeros(vertices), where=degrees != 0)
            dangling = ranks[degrees == 0].sum()
            ranks = (1 - 0.85 + 0.85 * dangling) / vertices + 0.85 * (pulled @ given)
        return ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=100_000)
    parser.add_argument("--vertices", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--json", help="also writes all samples to this file")
    parser.add_argument("--csv", help="also writes medians, lowest and highest times to this file")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, options.vertices, (2, options.edges))
    chosen = set(filter(None, options.only.split(",")))
    samples = {}
    kinds = []
    for kind in (Rhizome, Networkit, Igraph, Scipy, Networkx):
        if chosen and kind.name not in chosen:
            continue
        try:
            importlib.import_module(kind.name)
        except ImportError as error:
            print(f"{kind.name}: left out, {error}")
            continue
        kinds.append(kind)
    for _ in range(options.repetitions):
        for kind in kinds:  # in turns, so that a disturbance meets all of them
            made = kind(options.vertices)
            begin = time.perf_counter()
            for first in range(0, options.edges, options.batch):
                made.insert(source[first : first + options.batch], target[first : first + options.batch])
            inserted = time.perf_counter()
            made.rank()
            ranked = time.perf_counter()
            own = samples.setdefault(kind.name, {"insert_ms": [], "rank_ms": []})
            own["insert_ms"].append((inserted - begin) * 1e3)
            own["rank_ms"].append((ranked - inserted) * 1e3)
    print(f"{options.edges} random edges of {options.vertices} vertices in batches of {options.batch}, then PageRank")
    print(f"{'':12}{'insert ms':>12}{'rank ms':>12}{'beside rhizome':>18}")
    first = samples.get("rhizome")
    for name, own in samples.items():
        insert, rank = statistics.median(own["insert_ms"]), statistics.median(own["rank_ms"])
        beside = ""
        if first and name != "rhizome":
            beside = "{:.1f} / {:.1f} times".format(
                insert / statistics.median(first["insert_ms"]), rank / statistics.median(first["rank_ms"])
            )
        print(f"{name:12}{insert:12.1f}{rank:12.1f}{beside:>18}")
    versions = {kind.name: importlib.import_module(kind.name).__version__ for kind in kinds}
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            file.write(f"# {options.edges} random edges of {options.vertices} vertices in batches of {options.batch}\n")
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["package", "version", "measure", "unit", "samples", "median", "lowest", "highest"])
            for name, own in samples.items():
                for measure, times in (("insert", own["insert_ms"]), ("rank", own["rank_ms"])):
                    figures = [f"{f(times):.1f}" for f in (statistics.median, min, max)]
                    table.writerow([name, versions[name], measure, "ms", len(times), *figures])
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"options": vars(options), "versions": versions, "samples": samples}, file, indent=1)


if __name__ == "__main__":
    main()
