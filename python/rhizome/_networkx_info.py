# SPDX-License-Identifier: Apache-2.0
"""What NetworkX asks about the backend. Imports nothing: NetworkX calls it whenever it is imported."""

_REFUSED = "Refuses ``{}``."

FUNCTIONS = {
    "pagerank": _REFUSED.format("dangling") + " Multigraphs are refused here and below.",
    "triangles": "",
    "clustering": _REFUSED.format("weight") + " Undirected graphs only.",
    "average_clustering": _REFUSED.format("weight") + " Undirected graphs only.",
    "transitivity": "Undirected graphs only.",
    "single_source_shortest_path_length": "",
    "single_source_dijkstra_path_length": _REFUSED.format("weight`` as a function, and ``cutoff"),
    "connected_components": "",
    "number_connected_components": "",
    "is_connected": "",
    "node_connected_component": "",
    "weakly_connected_components": "",
    "number_weakly_connected_components": "",
    "is_weakly_connected": "",
    "core_number": "Undirected graphs only.",
}


def get_info() -> dict:
    return {
        "backend_name": "rhizome",
        "project": "rhizome-graph",
        "package": "rhizome",
        "short_summary": "Dynamic graphs on the GPU and the CPU.",
        "description": "``rhizome.networkx.Graph`` and ``DiGraph`` change in place: no conversion after a change.",
        "functions": {
            name: {"additional_docs": text, "additional_parameters": {}} for name, text in FUNCTIONS.items()
        },
        "default_config": {"device": None},
    }
