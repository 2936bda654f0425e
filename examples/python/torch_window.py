# SPDX-License-Identifier: Apache-2.0
"""A sliding window over temporal edges in a PyTorch tensor, and neighbours of a mini-batch at each step."""

import torch

import rhizome

device = "cuda" if torch.cuda.is_available() and not rhizome.cuda_unusable_because() else "cpu"
torch.manual_seed(1)
vertices, edges, window, step = 10_000, 100_000, 20_000, 5_000
edge_index = torch.randint(0, vertices, (2, edges), device=device)  # in the order of time
graph = rhizome.Graph(vertices, directed=True, device=device)
for end in range(step, edges + 1, step):
    graph.insert(*edge_index[:, end - step : end])
    begin = max(0, end - window)
    if begin >= step:
        # Of an edge that came again since, only the old occurrence leaves the window.
        old, recent = edge_index[:, begin - step : begin], edge_index[:, begin:end]
        came_again = torch.isin(old[0] * vertices + old[1], recent[0] * vertices + recent[1])
        graph.erase(*old[:, ~came_again])
    seeds = edge_index[1, end - 4 : end]
    rows = graph.neighbors(seeds)
    if end % 25_000 == 0:
        print(f"{end} edges seen, {graph.num_edges} in the window, degrees {torch.diff(rows.indptr).tolist()}")
