# SPDX-License-Identifier: Apache-2.0
"""Dynamic graphs on the GPU and the CPU.

Insert and erase edges in batches, from arrays of NumPy, CuPy, PyTorch or any library that speaks DLPack; ask for
neighbours, and run PageRank, triangle counting and searches on the graph as it is now::

    import numpy as np
    import rhizome

    graph = rhizome.Graph(vertices=4)
    graph.insert(np.array([0, 1, 2]), np.array([1, 2, 3]))
    rhizome.pagerank(graph).ranks
"""

import typing as _typing

from ._algorithms import (
    BFS,
    SSSP,
    Components,
    Cores,
    PageRank,
    Triangles,
    bfs,
    connected_components,
    core_numbers,
    local_triangles,
    pagerank,
    sssp,
    triangles,
)
from ._engine import cuda_device_count, cuda_unusable_because, engine as _engine, version as _version
from ._maintained import Maintained, RankBound, maintain
from ._stream import Stream, stream
from ._graph import Graph, Neighbors, Snapshot, from_csr, from_edges, from_networkx, from_scipy, read

__version__ = _version()

if _typing.TYPE_CHECKING:
    from ._core import Array, Batch, Report, VertexReport
else:

    def __getattr__(name: str) -> type:
        # Types of what graphs return, in the compiled module that makes graphs. It is chosen when it is first needed.
        if name in ("Array", "Batch", "Report", "VertexReport"):
            return getattr(_engine(), name)
        raise AttributeError(f"module 'rhizome' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

__all__ = [
    "Array",
    "BFS",
    "Batch",
    "Components",
    "Cores",
    "Graph",
    "Maintained",
    "Neighbors",
    "PageRank",
    "RankBound",
    "Report",
    "SSSP",
    "Snapshot",
    "Stream",
    "Triangles",
    "VertexReport",
    "bfs",
    "connected_components",
    "core_numbers",
    "cuda_device_count",
    "cuda_unusable_because",
    "from_csr",
    "from_edges",
    "from_networkx",
    "from_scipy",
    "local_triangles",
    "maintain",
    "pagerank",
    "read",
    "sssp",
    "stream",
    "triangles",
]
