#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws README's picture: throughput of batched updates, ours and public, on one H200.

    bench/public/draw_updates.py     writes docs/images/updates-light.svg and updates-dark.svg

Reads bench/public/updates-h200.csv and bench/results/h200/graphs/updates-*.csv. Needs matplotlib 3.7.
"""

from matplotlib.ticker import FuncFormatter
from picture import OURS, ROOT, plt, rows_of, save_pictures, set_frame

GRAPHS = {"rgg": "random geometric, 13.8 million arcs", "rmat": "R-MAT, 31.4 million arcs"}
MEASURES = {"insert": "-", "erase": "--"}


def throughputs(path, graph, measure, value_column):
    """Edges per batch, and updated edges per second, of directed batches with random ends."""
    wanted = {"benchmark": "updates", "graph": graph, "pattern": "random", "direction": "directed", "measure": measure}
    points = [
        (int(row["edges"]), int(row["edges"]) / (float(row[value_column]) * 1e-3))
        for row in rows_of(path)
        if all(row[name] == value for name, value in wanted.items())
    ]
    if not points:
        raise SystemExit(f"{path}: no random {measure} batches of {graph}")
    return zip(*sorted(points))


def draw(colours):
    figure, panels = plt.subplots(1, len(GRAPHS), figsize=(9, 3.8), sharey=True, layout="constrained")
    for panel, (graph, title) in zip(panels, GRAPHS.items()):
        for measure, line in MEASURES.items():
            ours = ROOT / "bench/results/h200/graphs" / f"updates-{graph}.csv"
            public = ROOT / "bench/public/updates-h200.csv"
            panel.plot(*throughputs(ours, graph, measure, "median"), line, color=OURS, marker="o", linewidth=2.2,
                       label=f"Rhizome, {measure}")
            panel.plot(*throughputs(public, graph, measure, "value"), line, color=colours["public"], marker="s",
                       linewidth=2.2, label=f"faimGraph's best variant, {measure}")
        panel.set_title(title, fontsize=11)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel("edges per batch")
        panel.xaxis.set_major_formatter(FuncFormatter(lambda edges, _: f"{int(edges / 1000):,}k"
                                                      if edges < 1e6 else f"{int(edges / 1e6)}M"))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate / 1e9:g}"))
        panel.minorticks_off()
        panel.grid(color=colours["grid"], linewidth=0.6)
        set_frame(panel, colours)
    panels[0].set_ylabel("updates per second, 10⁹")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    return figure


save_pictures("updates", draw)
