#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws README's picture: throughput of batched updates, ours and public, on one H200.

    bench/public/draw_updates.py     writes docs/images/updates-light.svg and updates-dark.svg

Reads bench/public/updates-h200.csv and bench/results/h200/graphs/updates-*.csv. Needs matplotlib.
"""

import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPHS = {"rgg": "random geometric, 13.8 million arcs", "rmat": "R-MAT, 31.4 million arcs"}
MEASURES = {"insert": "-", "erase": "--"}
# Colours that people with colour blindness can tell apart (Okabe and Ito).
OURS = "#E69F00"
THEMES = {
    "light": {"ink": "#24292f", "public": "#0072B2", "grid": "#d0d7de"},
    "dark": {"ink": "#e6edf3", "public": "#56B4E9", "grid": "#3d444d"},
}


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


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


def draw(theme, colours):
    plt.rcParams.update({"font.family": "sans-serif", "font.size": 11, "svg.hashsalt": "rhizome",
                         "text.color": colours["ink"], "axes.labelcolor": colours["ink"],
                         "xtick.color": colours["ink"], "ytick.color": colours["ink"]})
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
        panel.set_facecolor("none")
        for side, spine in panel.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(colours["grid"])
    panels[0].set_ylabel("updates per second, 10⁹")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=10)
    path = ROOT / "docs/images" / f"updates-{theme}.svg"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)


for name, choice in THEMES.items():
    draw(name, choice)
