# SPDX-License-Identifier: Apache-2.0
"""What the pictures of the documents share: colours, light and dark, and how they are saved. Needs matplotlib 3.7."""

import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Colours that people with colour blindness can tell apart (Okabe and Ito).
OURS = "#E69F00"
THEMES = {
    "light": {"ink": "#24292f", "public": "#0072B2", "grid": "#d0d7de"},
    "dark": {"ink": "#e6edf3", "public": "#56B4E9", "grid": "#3d444d"},
}


def rows_of(path):
    """The lines of a table, without those that begin with '#', as dictionaries."""
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def set_frame(panel, colours):
    """Draws no frame but the axes, and nothing behind the panel."""
    panel.set_facecolor("none")
    for side, spine in panel.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(colours["grid"])


def save_pictures(name, draw):
    """Writes what draw(colours) returns, a figure, to docs/images/NAME-light.svg and NAME-dark.svg."""
    for theme, colours in THEMES.items():
        plt.rcParams.update({"font.family": "sans-serif", "font.size": 11, "svg.hashsalt": "rhizome",
                             "text.color": colours["ink"], "axes.labelcolor": colours["ink"],
                             "xtick.color": colours["ink"], "ytick.color": colours["ink"]})
        figure = draw(colours)
        path = ROOT / "docs/images" / f"{name}-{theme}.svg"
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
        plt.close(figure)
