# SPDX-License-Identifier: Apache-2.0
"""NetworkX code with one changed line: the graph lives in Rhizome, and changes there."""

import networkx as nx

import rhizome.networkx as rnx

G = rnx.Graph(nx.karate_club_graph().edges())  # was: G = nx.Graph(...)

ranks = nx.pagerank(G)
print("highest:", max(ranks, key=ranks.get))
G.remove_edges_from([(33, other) for other in list(G.neighbors(33))[:12]])
G.add_edges_from([("new", member) for member in range(5)])
ranks = nx.pagerank(G)  # no conversion: the batch went to the live graph
print("highest:", max(ranks, key=ranks.get))
print("triangles at 0:", nx.triangles(G, 0), "parts:", nx.number_connected_components(G))
