#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of docs/python.md: inserting edges and PageRank, beside other Python packages.

    bench/python/draw_packages.py     writes docs/images/packages-light.svg and packages-dark.svg

Reads bench/results/cpu/python-packages.csv, which compare.py --csv wrote. Needs matplotlib 3.7.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "public"))
from picture import OURS, ROOT, plt, rows_of, save_pictures, set_frame

MEASURES = {"insert": "inserting a million edges, ms", "rank": "PageRank, ms"}
rows = list(rows_of(ROOT / "bench/results/cpu/python-packages.csv"))


def draw(colours):
    figure, panels = plt.subplots(1, len(MEASURES), figsize=(9, 2.6), layout="constrained")
    for panel, (measure, title) in zip(panels, MEASURES.items()):
        medians = {row["package"]: float(row["median"]) for row in rows if row["measure"] == measure}
        names = sorted(medians, key=medians.get, reverse=True)  # the fastest comes on top
        bars = panel.barh(names, [medians[name] for name in names], height=0.62,
                          color=[OURS if name == "rhizome" else colours["public"] for name in names])
        panel.bar_label(bars, [f"{medians[name]:,.0f}" for name in names], padding=4, fontsize=10)
        panel.set_title(title, fontsize=11)
        panel.set_xlim(0, 1.25 * max(medians.values()))
        panel.xaxis.set_visible(False)
        panel.tick_params(length=0)
        set_frame(panel, colours)
        panel.spines["bottom"].set_visible(False)
    return figure


save_pictures("packages", draw)
