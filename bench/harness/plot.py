#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the results of `rhizome bench run --output FILE`: one picture, one row a benchmark.

    plot.py RESULTS.json [MORE.json ...] PICTURE.svg

RESULTS may be - for standard input. Several files of one machine are drawn as one. Needs matplotlib.
"""

import argparse
import json
import math
import os
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError:
    sys.exit("matplotlib is not installed for this python3 ({})".format(sys.executable))

# Colours that people with colour blindness can tell apart (Okabe and Ito).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C", "#000000"]
HATCHES = ["", "////", "....", "xxxx"]
PUBLIC = "#444444"


def pretty_bytes(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or count % 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} TiB"


def pretty_size(text):
    return " to ".join(pretty_bytes(int(part)) for part in text.split("-"))


def size_key(text):
    low, _, high = text.partition("-")
    return (bool(high), int(low), int(high or low))


class Cell:
    """All entries of one cell: its choices, the median of each measure, figures of others."""

    def __init__(self, entry):
        self.benchmark = entry["benchmark"]
        self.axes = entry["axes"]
        self.status = entry["status"]
        self.public = entry.get("public", {})
        self.medians = {}
        self.means = {}
        self.break_evens = {}  # change: edges per batch
        self.curves = {}  # measure: its values step by step
        for name in ("handed_out", "handed_out_again", "address_range", "live", "rounds", "loaded", "churned",
                     "loaded_lasting", "churned_lasting", "memory", "vertices", "arcs",
                     "expected", "static", "gg", "gg_worst", "speedup", "throughput", "tas", "was", "tas_formula",
                     "was_formula", "tas_by_words", "was_by_words", "queue_tas", "queue_was", "rw", "crw", "rw_formula",
                     "crw_formula", "tas_ratio", "was_ratio", "tas_formula_ratio", "was_formula_ratio", "latency",
                     "handed_out_formula", "performance", "lines", "sectors", "footprint", "bandwidth",
                     "efficiency", "collisions", "collisions_formula"):
            if name in entry:
                self.medians[name] = entry[name]

    def axis(self, name):
        return self.axes.get(name, "")


def milliseconds(entry):
    """The time of an entry: nanoseconds, in older files milliseconds."""
    return entry["real_time"] / {"ns": 1e6, "us": 1e3, "ms": 1, "s": 1e-3}[entry["time_unit"]]


def read_cells(document):
    cells = {}
    for entry in document["benchmarks"]:
        if "axes" not in entry:
            continue
        key = (entry["benchmark"], json.dumps(entry["axes"], sort_keys=True))
        cell = cells.setdefault(key, Cell(entry))
        cell.curves.update(entry.get("curves", {}))
        if entry.get("aggregate_name") == "median":
            cell.medians[entry["measure"]] = milliseconds(entry)
        elif entry.get("aggregate_name") == "mean":
            cell.means[entry["measure"]] = milliseconds(entry)
    for found in document["context"].get("break_evens", []):
        for cell in cells.values():
            rest = {name: value for name, value in cell.axes.items() if name != "edges"}
            if cell.benchmark == found["benchmark"] and rest == found["axes"] and found["edges"]:
                cell.break_evens[found["change"]] = found["edges"]
    return list(cells.values())


def unique(values):
    return list(dict.fromkeys(values))


def line_of(cell):
    """What a colour stands for: the allocator, or in Figure 4 of the Ouroboros paper the variant."""
    return cell.axis("variant") or cell.axis("allocator")


def styles_of(cells):
    names = unique(line_of(cell) for cell in cells if cell.axis("variant") or not cell.axis("graph"))
    names = [name for name in names if name]  # figures of arrays have legends of their own
    return {
        name: dict(color=COLOURS[i % len(COLOURS)], hatch=HATCHES[i // len(COLOURS) % len(HATCHES)])
        for i, name in enumerate(names)
    }


def number_text(value, _=None):
    return f"{value:g}"


def log_values(axis, values):
    """Plain numbers on a logarithmic axis, more of them where it spans less: two at least are always labelled."""
    wide = max(values) / min(values) > 100
    axis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(number_text))
    axis.set_minor_formatter(NullFormatter())


def bars(axes, cells, measure, styles, label, log):
    """Groups of bars by size, a bar an allocator; a line over each group is the best public figure."""
    sizes = sorted(unique(cell.axis("size") for cell in cells), key=size_key)
    names = [name for name in styles if any(cell.axis("allocator") == name for cell in cells)]
    width = 0.84 / max(1, len(names))
    values = []
    for i, name in enumerate(names):
        for group, size in enumerate(sizes):
            for cell in cells:
                if cell.axis("allocator") != name or cell.axis("size") != size:
                    continue
                x = group - 0.42 + (i + 0.5) * width
                if measure in cell.medians and cell.medians[measure] > 0:
                    values.append(cell.medians[measure])
                    axes.bar(x, cell.medians[measure], width * 0.92, color=styles[name]["color"],
                             hatch=styles[name]["hatch"], edgecolor="white", linewidth=0)
                elif cell.status != "ok":
                    axes.annotate(cell.status, (x, 0.01), xycoords=("data", "axes fraction"), rotation=90,
                                  ha="center", va="bottom", fontsize=6, color=styles[name]["color"])
                best = cell.public.get(measure, {}).get("best")
                if best:
                    values.append(best["value"])
                    axes.hlines(best["value"], group - 0.44, group + 0.44, color=PUBLIC, linewidth=1.2,
                                linestyle=(0, (4, 2)))
    axes.set_xticks(range(len(sizes)), [pretty_size(size).replace(" to ", " to\n") for size in sizes])
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.set_xlabel("bytes a request")
    axes.set_ylabel(label)
    if log and values:
        axes.set_yscale("log")
        axes.set_ylim(min(values) / 2, max(values) * 2)
        log_values(axes.yaxis, [min(values) / 2, max(values) * 2])
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def lines(axes, cells, measure, styles):
    values = []
    for name, style in styles.items():
        points = sorted(
            (int(cell.axis("threads")), cell.medians[measure])
            for cell in cells
            if cell.axis("allocator") == name and cell.medians.get(measure, 0) > 0
        )
        if not points:
            continue
        values += [y for _, y in points]
        axes.plot(*zip(*points), marker="o", markersize=3, linewidth=1.4, color=style["color"],
                  linestyle=["-", "--", ":", "-."][HATCHES.index(style["hatch"])])
    if values:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        log_values(axes.yaxis, values)
    axes.set_xlabel("threads")
    axes.set_ylabel("milliseconds")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def best_of(cell, measure):
    return cell.public.get(measure, {}).get("best", {}).get("value")


def update_lines(axes, cells, with_legend):
    """Milliseconds over edges per batch: a colour a pattern, whole lines insert, broken ones erase, thin ones are the
    best public figures."""
    values, shown_public = [], False
    for i, pattern in enumerate(unique(cell.axis("pattern") for cell in cells)):
        for measure, dashes in (("insert", "-"), ("erase", "--")):
            own = sorted((int(cell.axis("edges")), cell) for cell in cells if cell.axis("pattern") == pattern)
            points = [(x, cell.medians[measure]) for x, cell in own if cell.medians.get(measure, 0) > 0]
            public = [(x, best_of(cell, measure)) for x, cell in own if best_of(cell, measure)]
            values += [y for _, y in points + public]
            if points:
                axes.plot(*zip(*points), marker="o", markersize=3.5, linewidth=1.6, color=COLOURS[i], linestyle=dashes,
                          label=f"{measure} {pattern}")
            if public:
                axes.plot(*zip(*public), marker="x", markersize=4, linewidth=0.8, color=COLOURS[i], linestyle=dashes,
                          alpha=0.7)
                shown_public = True
    if values:
        axes.set_xscale("log")
        axes.set_yscale("log")
        log_values(axes.yaxis, values)
    if values and with_legend:
        if shown_public:
            axes.plot([], [], marker="x", markersize=4, linewidth=0.8, color=PUBLIC, label="best public")
        axes.legend(fontsize=6, frameon=False, loc="upper left")
    axes.set_xlabel("edges per batch")
    axes.set_ylabel(TIME)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def maintained_lines(axes, cells, with_legend):
    """Milliseconds of a result over edges per batch, of inserted and of erased edges: repaired (thin), by the way that is
    expected to take less time, and the 99th percentile of that (dotted). Upright lines are where repairing takes as long
    as computing anew, the grey line. Of results together: with the batch."""
    own = sorted(((int(cell.axis("edges")), cell) for cell in cells), key=lambda pair: pair[0])
    values = []
    for measure, name, style in (
            ("anew", "computed anew", dict(color="#8C8C8C", linewidth=2.5)),
            ("insert_repair", "repaired after insertions", dict(color=COLOURS[0], linewidth=0.7)),
            ("insert_update", "updated after insertions", dict(color=COLOURS[0], linewidth=1.6)),
            ("insert_update_p99", "99 % of these at most", dict(color=COLOURS[0], linewidth=1, linestyle=":")),
            ("erase_repair", "repaired after erasures", dict(color=COLOURS[5], linewidth=0.7)),
            ("erase_update", "updated after erasures", dict(color=COLOURS[5], linewidth=1.6)),
            ("erase_update_p99", "99 % of these at most", dict(color=COLOURS[5], linewidth=1, linestyle=":"))):
        together = measure.replace("_repair", "_and_repairs").replace("_update", "_and_updates")
        measure = together if any(together in cell.medians for _, cell in own) else measure
        points = [(edges, cell.medians[measure]) for edges, cell in own if cell.medians.get(measure, 0) > 0]
        values += [y for _, y in points]
        if points:
            axes.plot(*zip(*points), marker="o", markersize=3, label=name, **style)
    for change, colour in (("insert", COLOURS[0]), ("erase", COLOURS[5])):
        edges = next((cell.break_evens[change] for _, cell in own if change in cell.break_evens), None)
        if edges:
            axes.axvline(edges, color=colour, linewidth=0.9, linestyle=(0, (4, 2)))
            axes.annotate(f"{edges:,.0f}", (edges, 0.99), xycoords=("data", "axes fraction"), rotation=90, ha="right",
                          va="top", fontsize=6, color=colour)
    for edges, cell in own:
        if cell.status != "ok":
            axes.annotate(cell.status, (edges, 0.01), xycoords=("data", "axes fraction"), rotation=90, ha="center",
                          va="bottom", fontsize=6)
    axes.set_xscale("log")
    if values:
        axes.set_yscale("log")
        log_values(axes.yaxis, values)
    if values and with_legend:
        axes.legend(fontsize=6, frameon=False)
    axes.set_xlabel("edges per batch")
    axes.set_ylabel(TIME)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def maintained_rows(cells):
    """A row for each graph, a panel for each pattern of batches."""
    def setting_of(cell):
        return tuple(cell.axis(name) for name in ("graph", "scale", "space", "layout", "allocator"))

    rows = []
    for setting in unique(map(setting_of, cells)):
        members = [cell for cell in cells if setting_of(cell) == setting]
        graph, scale, space, layout, allocator = setting
        graph = os.path.basename(graph) + ("" if scale == "0" else f" of 2^{scale} vertices")
        patterns = unique(cell.axis("pattern") for cell in members)
        rows.append((f"{members[0].benchmark}: {graph}, {layout} with {allocator}, {space}", [
            (lambda axes, _, own=[c for c in members if c.axis("pattern") == pattern], first=pattern == patterns[0]:
             maintained_lines(axes, own, first), pattern) for pattern in patterns]))
    return rows


def graph_bars(axes, cells, measures, label, log):
    """Groups of bars by graph, a bar a measure; a line over a bar is the best public figure."""
    graphs = unique(cell.axis("graph") for cell in cells)
    width = 0.84 / len(measures)
    values = []
    for i, (measure, name) in enumerate(measures):
        for group, graph in enumerate(graphs):
            for cell in (c for c in cells if c.axis("graph") == graph):
                x = group - 0.42 + (i + 0.5) * width
                if cell.medians.get(measure, 0) > 0:
                    values.append(cell.medians[measure])
                    axes.bar(x, cell.medians[measure], width * 0.92, color=COLOURS[i],
                             label=name if group == 0 else None)
                elif cell.status != "ok":
                    axes.annotate(cell.status, (x, 0.01), xycoords=("data", "axes fraction"), rotation=90, ha="center",
                                  va="bottom", fontsize=6)
                if best_of(cell, measure):
                    values.append(best_of(cell, measure))
                    axes.hlines(values[-1], x - width / 2, x + width / 2, color=PUBLIC, linewidth=1.2,
                                linestyle=(0, (4, 2)))
    axes.set_xticks(range(len(graphs)), graphs)
    axes.set_ylabel(label)
    if log and values:
        axes.set_yscale("log")
        axes.set_ylim(min(values) / 2, max(values) * 2)
        log_values(axes.yaxis, [min(values) / 2, max(values) * 2])
    if len(measures) > 1 and values:
        axes.legend(fontsize=6, frameon=False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


TIME = "milliseconds (median)"
VIEWS = [("live", "live graph"), ("csr", "sparse rows"), ("boost", "Boost.Graph")]
GRAPH_PANELS = {  # benchmark: (measures with what they are called, title, axis, logarithmic)
    "memory": [([("loaded", "after loading"), ("churned", "after batches in and out")], "all bytes",
                "multiple of sparse rows", False),
               ([("loaded_lasting", "after loading"), ("churned_lasting", "after batches in and out")],
                "without scratch", "multiple of sparse rows", False)],
    "build": [([("build", "from edges"), ("build_from_rows", "from sparse rows")], "a new graph", TIME, True)],
    "snapshot": [([("snapshot", "snapshot")], "to sparse rows", TIME, True)],
    "pagerank": [(VIEWS, "an iteration", TIME, True)],
    "triangles": [(VIEWS, "a count", TIME, True)],
    "bfs": [(VIEWS, "a breadth-first search", TIME, True)],
    "components": [(VIEWS, "all components", TIME, True)],
    "kcore": [(VIEWS, "all core numbers", TIME, True)],
    "sssp": [(VIEWS, "shortest paths by weight", TIME, True)],
    "row-placement": [([("lane_wise_build", "lane by lane"), ("bulk_build", "in bulk")], "all batches", TIME, True),
                      ([("lane_wise_lines", "lane by lane"), ("bulk_lines", "in bulk"),
                        ("packed_lines", "side by side")], "lines of the rows of a warp", "lines of 128 bytes", False),
                      ([("lane_wise_pagerank", "lane by lane"), ("bulk_pagerank", "in bulk")],
                       "an iteration of PageRank", TIME, True)],
}
PANELS = {  # benchmark: (measure, what it is called, its axis, logarithmic)
    "cycle": [("alloc", "allocate", TIME, True), ("free", "free", TIME, True)],
    "fresh": [("alloc", "first allocations on a new heap", TIME, True)],
    "capacity": [("handed_out", "handed out before the first refusal", "share of the heap", False),
                 ("handed_out_again", "the same after freeing all", "share of the heap", False)],
    "address-range": [("address_range", "address range", "multiple of the bytes asked for", True)],
    "growth": [("rounds", "rounds until a refusal", "rounds", False),
               ("live", "live blocks at the refusal", "share of the heap", False),
               ("address_range", "greatest address range", "share of the heap", False)],
    "extents": [("alloc", "large blocks out of a heap in pieces", TIME, True),
                ("served", "served of them", "share of the requests", False)],
}


def graph_rows_of(benchmark, cells):
    """The rows of a benchmark of graphs: one for each combination of what a panel does not show."""
    rows = []
    rest = ("space", "layout", "allocator", "scale", "direction") + {"memory": ("edges",),
                                                                     "row-placement": ("edges", "order")}.get(benchmark, ())

    def settings(cell):
        return tuple(cell.axis(name) for name in rest)

    for setting in unique(map(settings, cells)):
        members = [cell for cell in cells if settings(cell) == setting]
        space, layout, allocator, scale, direction = setting[:5]
        kind = f"{direction} graphs" if direction else "graphs"
        title = f"{benchmark}: {layout} with {allocator}, {kind} of 2^{scale}, {space}"
        if len(setting) > 5:
            title += f", batches of {int(setting[5]):,}"
        if len(setting) > 6:
            title += f" in {setting[6]} order"
        if benchmark == "updates":
            graphs = unique(c.axis("graph") for c in members)
            panels = [(lambda axes, _, own=[c for c in members if c.axis("graph") == graph], first=graph == graphs[0]:
                       update_lines(axes, own, first), graph) for graph in graphs]
        else:
            panels = [(lambda axes, _, p=panel, own=members:
                       graph_bars(axes, own, [m for m in p[0] if any(m[0] in c.medians for c in own)] or p[0][:1],
                                  p[2], p[3]), panel[1]) for panel in GRAPH_PANELS[benchmark]]
        rows.append((title, panels))
    return rows


def paper_lines(axes, cells, choice, measure, styles, label):
    """A line an allocator or variant, over a choice: sizes, threads, or the graphs of Table 1 in their order."""
    graphs = unique(cell.axis("graph") for cell in cells)
    sizes = sorted(unique(cell.axis("size") for cell in cells if cell.axis("size")), key=size_key)

    def place(cell):
        if choice == "graph":
            return graphs.index(cell.axis("graph"))
        return sizes.index(cell.axis("size")) if choice == "size" else int(cell.axis("threads"))

    values = []
    for number, (name, style) in enumerate(styles.items()):
        points = sorted((place(cell), cell.medians[measure]) for cell in cells
                        if line_of(cell) == name and cell.status == "ok" and cell.medians.get(measure, 0) > 0)
        if not points:
            continue
        values += [y for _, y in points]
        axes.plot(*zip(*points), marker="osD^v<>P*"[number % 9], markersize=3.5, linewidth=1.2, color=style["color"])
    if values:
        axes.set_yscale("log")
        log_values(axes.yaxis, [min(values), max(values)])
        axes.set_ylim(min(values) / 1.5, max(values) * 1.5)
    if choice == "graph":
        arcs = {cell.axis("graph"): cell.medians["arcs"] for cell in cells if "arcs" in cell.medians}
        sources = {cell.axis("graph"): cell.axis("source") for cell in cells}
        axes.set_xticks(range(len(graphs)), [
            name + (" *" if sources[name] == "stand-in" else "") +
            (f" ({arcs[name] / 1e6:.3g}M)" if name in arcs else "") for name in graphs],
            rotation=40, ha="right", fontsize=6)
        axes.set_xlabel("graphs (arcs)")
        axes.set_xlim(-0.5, len(graphs) - 0.5)
    elif choice == "size":
        axes.set_xticks(range(len(sizes)), ["mixed" if "-" in size else pretty_size(size) for size in sizes],
                        rotation=40, ha="right")
        axes.set_xlabel("bytes a request")
    else:
        axes.set_xscale("log")
        axes.set_xlabel("threads")
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def fig3_rows(cells):
    """Figure 3 of the Ouroboros paper: over sizes with two counts of threads, over threads with four sizes, and the
    address range."""
    rows = []
    for space in unique(cell.axis("space") for cell in cells):
        own = [cell for cell in cells if cell.axis("space") == space]
        by_threads, by_size = {}, {}
        for cell in own:
            by_threads.setdefault(int(cell.axis("threads")), []).append(cell)
            by_size.setdefault(cell.axis("size"), []).append(cell)

        def panel(members, choice, measure, label):
            return lambda axes, styles: paper_lines(axes, members, choice, measure, styles, label)

        over_sizes = [(count, members) for count, members in sorted(by_threads.items())
                      if len(unique(c.axis("size") for c in members)) > 4]
        over_threads = [(size, members) for size, members in sorted(by_size.items(), key=lambda item: size_key(item[0]))
                        if len(unique(c.axis("threads") for c in members)) > 2]
        title = f"Figure 3 of the Ouroboros paper, {space}"
        if over_sizes:
            rows.append((f"{title}: allocating", [(panel(m, "size", "alloc", TIME), f"{count:,} threads")
                                                  for count, m in over_sizes]))
        if over_threads:
            rows.append((f"{title}: allocating over threads", [(panel(m, "threads", "alloc", TIME), pretty_size(size))
                                                               for size, m in over_threads]))
        if over_sizes:
            count, members = over_sizes[-1]
            rows.append((f"{title}: fragmentation", [(panel(members, "size", "address_range",
                                                            "multiple of the bytes asked for"),
                                                      f"address range, {count:,} allocations on a new heap")]))
        if not over_sizes and not over_threads:
            rows.append((title, [(panel(own, "size", "alloc", TIME), "allocating")]))
    return rows


FIG4_PANELS = [  # the rows of Figure 4, left to right as there
    ("initialisation and memory after it", [("initialise", "initialisation", "milliseconds (median)"),
                                            ("memory", "memory", "MB")]),
    ("batches with random sources", [("erase_random", "deleting", "milliseconds (median)"),
                                     ("insert_random", "inserting", "milliseconds (median)")]),
    ("batches with sources among 1000 vertices", [("erase_pressure", "deleting", "milliseconds (median)"),
                                                  ("insert_pressure", "inserting", "milliseconds (median)")]),
    ("algorithms", [("pagerank", "PageRank, an iteration", "milliseconds (median)"),
                    ("triangle_counting", "triangles", "milliseconds (median)")]),
]


def fig4_rows(cells):
    """Figure 4 of the Ouroboros paper: its eight panels over the graphs of Table 1."""
    rows = []
    for setting in unique((cell.axis("space"), cell.axis("edges")) for cell in cells):
        own = [cell for cell in cells if (cell.axis("space"), cell.axis("edges")) == setting]
        for title, panels in FIG4_PANELS:
            rows.append((f"Figure 4 of the Ouroboros paper, {setting[0]}, batches of {int(setting[1]):,} edges: {title}",
                         [(lambda axes, styles, m=measure, text=label, members=own:
                           paper_lines(axes, members, "graph", m, styles, text), name)
                          for measure, name, label in panels]))
    return rows


def range_text(values):
    def short(value):
        return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"

    span = f"{short(values['lowest'])} to {short(values['highest'])}" if "lowest" in values else ""
    if "mean" not in values:
        return span or "not measured"
    return short(values["mean"]) + (f" ({span})" if span else "")


def draw_comparisons(part, comparisons):
    """The ratios that the paper's text states, beside those of this run."""
    axes = part.subplots()
    axes.axis("off")
    lines = [[entry["what"], range_text(entry["paper"]) if entry["paper"] else "in words",
              range_text(entry["ours"]), entry["source"]]
             for entry in comparisons]
    table = axes.table(cellText=lines, colLabels=["ratio: mean (range)", "paper", "here", "stated in"], loc="center",
                       cellLoc="left", colWidths=[0.52, 0.16, 0.2, 0.12], edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(7)


# The figures of the GGArray paper: what is on the horizontal axis, what has a line, and the panels.
GG_PANELS = {
    "ggarray-fig3": ("sigma", None, [(("expected", "static", "gg"), "memory", "multiple of the elements at the start")]),
    "ggarray-fig4": ("elements", "insertion", [(("insert",), "inserting as many elements as there are", TIME)]),
    "ggarray-fig5": ("vectors", None, [(("grow", "insert", "read_write", "read_write_by_index"),
                                        "doubling, and access to all elements", TIME)]),
    "ggarray-fig6": ("elements", "structure", [(("grow",), "growing", TIME), (("insert",), "inserting", TIME),
                                           (("read_write",), "reading and writing", TIME)]),
    "ggarray-table2": ("elements", "structure", [(("grow",), "growing", TIME), (("insert",), "inserting", TIME),
                                             (("read_write",), "reading and writing", TIME)]),
    "ggarray-fig7": ("calls", "each", [(("speedup",), "over a semi-static array alone", "speedup")]),
}


def gg_bars(axes, cells, measure, label):
    """A bar for each structure, with its number."""
    own = [cell for cell in cells if cell.medians.get(measure, 0) > 0]
    bars_ = axes.bar([cell.axis("structure") for cell in own], [cell.medians[measure] for cell in own],
                     color=[COLOURS[i % len(COLOURS)] for i in range(len(own))])
    axes.bar_label(bars_, labels=[f"{cell.medians[measure]:.3g}" for cell in own], fontsize=7)
    axes.set_ylabel(label)


def gg_lines(axes, cells, across, line, measures, label):
    """A line for each value of a choice, or for each measure, over a choice that is a number."""
    names = unique(cell.axis(line) for cell in cells) if line else [None]
    if line == "structure" and len(unique(cell.axis(across) for cell in cells)) == 1:
        gg_bars(axes, cells, measures[0], label)
        return
    values, number = [], 0
    for name in names:
        for measure in measures:
            points = sorted((float(cell.axis(across)), cell.medians[measure]) for cell in cells
                            if (line is None or cell.axis(line) == name) and cell.medians.get(measure, 0) > 0)
            if points:
                values += [y for _, y in points]
                axes.plot(*zip(*points), marker="osD^v<>P*"[number % 9], markersize=3.5, linewidth=1.2,
                          color=COLOURS[number % len(COLOURS)],
                          label=measure if name is None else f"{name} each" if line == "each" else name)
            number += 1
    if values:
        if across != "sigma":
            axes.set_xscale("log")
        axes.set_yscale("log")
        log_values(axes.yaxis, [min(values) / 1.5, max(values) * 1.5])
        axes.set_ylim(min(values) / 1.5, max(values) * 1.5)
        axes.legend(fontsize=6, frameon=False)
    axes.set_xlabel(across)
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def gg_rows(cells):
    """One row for each space, and each combination of choices that the panels do not show."""
    name = cells[0].benchmark
    across, line, panels = GG_PANELS[name]

    def rest(cell):
        hidden = (across, line, "seed", "repetitions", "warm-up", "host-threads")
        return tuple((choice, value) for choice, value in cell.axes.items() if choice not in hidden)

    title = "Table 2" if name == "ggarray-table2" else f"Figure {name[-1]}"
    return [(f"{title} of the GGArray paper: " + ", ".join(f"{choice} {value}" for choice, value in setting),
             [(lambda axes, styles, m=measures, text=label, own=[c for c in cells if rest(c) == setting]:
               gg_lines(axes, own, across, line, m, text), panel) for measures, panel, label in panels])
            for setting in unique(map(rest, cells))]


# Compactions: what has a panel, and which measure is drawn.
SELECT_PANELS = {
    "compaction": ("distribution", "select", TIME),
    "space-fig1": ("distribution", "throughput", "GiB/s of mask and input"),
    "space-fig5": ("distribution", "throughput", "GiB/s of mask and input"),
    "space-fig6": ("distribution", "throughput", "GiB/s of mask and input"),
    "space-fig7": ("element", "throughput", "GiB/s of mask and input"),
}


def select_lines(axes, cells, measure, label):
    """A line for each method over the percentage of selected items; a dashed one for the floor of a time."""
    names, values = unique(cell.axis("method") for cell in cells), []
    for number, name in enumerate(names + (["floor"] if measure == "select" else [])):
        which = cells if name == "floor" else [cell for cell in cells if cell.axis("method") == name]
        points = sorted({float(cell.axis("selected")): cell.medians["floor" if name == "floor" else measure]
                         for cell in which if measure in cell.medians}.items())
        if not points:
            continue
        values += [y for _, y in points]
        if name == "floor":
            axes.plot(*zip(*points), color=PUBLIC, linewidth=1.2, linestyle=(0, (4, 2)), label="floor")
            continue
        axes.plot(*zip(*points), marker="osD^v<>P*X"[number % 10], markersize=3.5, linewidth=1.2, label=name,
                  color=COLOURS[number % len(COLOURS)], linestyle="-" if number < len(COLOURS) else "--")
    best = sorted({float(cell.axis("selected")): cell.public[measure]["best"]["value"]
                   for cell in cells if "best" in cell.public.get(measure, {})}.items())
    if best:
        values += [y for _, y in best]
        axes.plot(*zip(*best), color=PUBLIC, marker="_", markersize=12, linestyle="", label="best public")
    if values:
        percents = [float(cell.axis("selected")) for cell in cells]
        if 0 < min(percents) and max(percents) / min(percents) > 100:
            axes.set_xscale("log")
        axes.set_yscale("log")
        log_values(axes.yaxis, [min(values) / 1.5, max(values) * 1.5])
        axes.set_ylim(min(values) / 1.5, max(values) * 1.5)
        axes.legend(fontsize=6, frameon=False, loc="upper left" if measure == "select" else "upper right",
                    ncols=2 if len(names) > 5 else 1)
    axes.set_xlabel("selected items, %")
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


SWEPT = (("chunk", "items per chunk"), ("block-threads", "threads per block"),
         ("write-threads", "threads per block that writes"), ("streams", "streams"), ("element", "types"))


def sweep_curves(axes, cells, axis):
    """A curve for each value of what is swept, over the percentage of selected items."""
    values = []
    for number, value in enumerate(unique(cell.axis(axis) for cell in cells)):
        cell = next(cell for cell in cells if cell.axis(axis) == value)
        step = int(cell.axis("percent-step"))
        points = [(1 + step * i, y) for i, y in enumerate(cell.curves.get("throughput", []))]
        if points:
            axes.plot(*zip(*points), color=COLOURS[number % len(COLOURS)], marker=WALK_MARKS[number % 10], markersize=3,
                      linewidth=1.2, label="its own" if value == "0" else value)
        values += [y for _, y in points]
    if values:
        axes.set_ylim(0, 1.05 * max(values))
        axes.legend(fontsize=6, frameon=False)
    else:
        axes.annotate("not served", (0.5, 0.5), xycoords="axes fraction", ha="center", color=PUBLIC)
    axes.set_xlabel("selected items, %")
    axes.set_ylabel("GiB/s of mask and input")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def sweep_rows(cells):
    """A row for each method and what agrees in all its cells; a panel for each axis of which it has several values."""
    def rest(cell):
        return tuple((choice, pretty_size(value) if choice == "data" else value) for choice, value in cell.axes.items()
                     if choice in ("method", "space", "distribution", "data"))

    rows = []
    for setting in unique(map(rest, cells)):
        own = [cell for cell in cells if rest(cell) == setting]
        panels = []
        for axis, name in SWEPT:
            for others in unique(tuple(cell.axis(a) for a, _ in SWEPT if a != axis) for cell in own):
                members = [cell for cell in own if tuple(cell.axis(a) for a, _ in SWEPT if a != axis) == others]
                if len(members) > 1:
                    told = "" if len(panels) < len(SWEPT) and name not in [p for _, p in panels] else " (" + ", ".join(others) + ")"
                    panels.append((lambda axes, styles, m=members, a=axis: sweep_curves(axes, m, a), name + told))
        if not panels:
            panels = [(lambda axes, styles, m=own: sweep_curves(axes, m, "element"), "types")]
        for first in range(0, len(panels), 5):
            rows.append(("Sweep of the SPACE paper: " + ", ".join(f"{choice} {value}" for choice, value in setting),
                         panels[first:first + 5]))
    return rows


def growth_curves(axes, cells, measure, styles, label, log):
    """A curve for each allocator over the rounds."""
    values = []
    for name, style in styles.items():
        for cell in cells:
            curve = cell.curves.get(measure, []) if cell.axis("allocator") == name else []
            points = [(i + 1, y) for i, y in enumerate(curve) if y > 0]
            if points:
                axes.plot(*zip(*points), color=style["color"], linewidth=1.1,
                          linestyle=["-", "--", ":", "-."][HATCHES.index(style["hatch"])])
            values += [y for _, y in points]
    if values and log:
        axes.set_yscale("log")
        log_values(axes.yaxis, [min(values), max(values)])
    axes.set_xlabel("rounds: allocate, then free half of it")
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


GROWTH_CURVES = [("range_of_rounds", "address range so far", "share of the heap", False),
                 ("alloc", "allocating", "milliseconds", True), ("free", "freeing", "milliseconds", True)]


def select_rows(cells):
    """One row for each space, and each combination of choices that the panels do not show."""
    name = cells[0].benchmark
    panel, measure, label = SELECT_PANELS[name]

    def rest(cell):
        hidden = (panel, "method", "selected", "seed", "repetitions", "warm-up", "host-threads")
        return tuple((choice, pretty_size(value) if choice == "data" else value)
                     for choice, value in cell.axes.items()
                     if choice not in hidden and (choice, value) not in (("block-threads", "0"), ("write-blocks", "0")))

    title = f"Figure {name[-1]} of the SPACE paper" if name.startswith("space-fig") else name
    return [(f"{title}: " + ", ".join(f"{choice} {value}" for choice, value in setting),
             [(lambda axes, styles, own=[c for c in cells if rest(c) == setting and c.axis(panel) == value]:
               select_lines(axes, own, measure, label), value)
              for value in unique(c.axis(panel) for c in cells if rest(c) == setting)])
            for setting in unique(map(rest, cells))]


# The figures of the random-walk paper. Whole lines with marks are measured, broken ones are formulas.
WALK_MARKS = "osD^v<>P*X"


IN_BYTES = ("size", "page", "message")  # choices that are sizes


def walk_curve(axes, cells, across, value, colour, number=0, label=None, formula=False):
    """A curve over a choice that is a number; returns its values."""
    points = sorted((float(cell.axis(across)), value(cell)) for cell in cells if (value(cell) or 0) > 0)
    if points:
        axes.plot(*zip(*points), color=colour, label=label, linewidth=0.9 if formula else 1.3,
                  marker=None if formula else WALK_MARKS[number % 10], markersize=3.5,
                  linestyle=(0, (4, 2)) if formula else "-")
    return [y for _, y in points]


def walk_frame(axes, values, across, label, legend=False, log=True):
    lines_of_legend = math.ceil(len(axes.get_legend_handles_labels()[1]) / 2) if legend else 0
    if values and log:
        low, high = min(values) / 1.5, max(values) * 1.5
        high *= (high / low) ** (0.075 * lines_of_legend)  # so that no curve runs through the legend
        axes.set_yscale("log")
        log_values(axes.yaxis, [low, high])
        axes.set_ylim(low, high)
    if values:
        axes.set_xscale("log", base=2 if across in IN_BYTES else 10)
        if across not in IN_BYTES:
            log_values(axes.xaxis, axes.get_xlim())
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        else:
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: pretty_bytes(int(value))))
            axes.tick_params(axis="x", labelrotation=40)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.annotate("not served", (0.5, 0.5), xycoords="axes fraction", ha="center", color=PUBLIC)
    if values and not log:
        axes.set_ylim(0, 1.05 * max(values))
    if legend and values:
        axes.legend(fontsize=6, frameon=False, loc="upper left", ncols=2)
    axes.set_xlabel({"size": "bytes per request", "page": "bytes per page", "tuples": "tuples of each table",
                     "message": "bytes that a rank passes"}.get(across, across))
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def walk_allocators(axes, cells, across, value, styles, label, formula=None, log=True):
    """A curve for each allocator, in the colours of the legend below."""
    values = []
    for number, (name, style) in enumerate(styles.items()):
        own = [cell for cell in cells if cell.axis("allocator") == name]
        values += walk_curve(axes, own, across, value, style["color"], number)
        if formula:
            values += walk_curve(axes, own, across, formula, style["color"], formula=True)
    walk_frame(axes, values, across, label, log=log)


def walk_groups(axes, cells, across, by, name_of, measures, label):
    """A colour for each value of a choice; measures: (name, is a formula)."""
    values = []
    for number, group in enumerate(unique(cell.axis(by) for cell in cells)):
        own = [cell for cell in cells if cell.axis(by) == group]
        for measure, formula in measures:
            values += walk_curve(axes, own, across, lambda cell, m=measure: cell.medians.get(m), COLOURS[number % 8],
                                 number, None if formula and len(measures) > 1 else name_of(group), formula)
    return values


def walk_fig1(axes, cells):
    values = walk_groups(axes, cells, "threads", "operation", str, [("latency", False)], "")
    first = [cell for cell in cells if cell.axis("operation") == cells[0].axis("operation")]
    most = max(first, key=lambda cell: int(cell.axis("threads")))
    slope = most.medians.get("latency", 0) / ((int(most.axis("threads")) + 1) / 2)
    walk_curve(axes, first, "threads", lambda cell: slope * (int(cell.axis("threads")) + 1) / 2, PUBLIC,
               label="proportional to (N + 1) / 2 (Eq. 1)", formula=True)
    walk_frame(axes, values, "threads", "nanoseconds per operation", legend=True)


def walk_fig6(axes, cells, measure, queue):
    values = walk_groups(axes, cells, "threads", "free", "{} % free".format, [(measure, False)], "")
    longest = max(unique(c.axis("free") for c in cells), key=lambda free: sum(c.axis("free") == free for c in cells))
    values += walk_curve(axes, [c for c in cells if c.axis("free") == longest], "threads",
                         lambda cell: cell.medians.get(queue), "#000000", label="queue", formula=True)
    walk_frame(axes, values, "threads", "steps", legend=True)


def walk_fig10(axes, cells):
    values = walk_groups(axes, cells, "threads", "clusters", "CRW, M = {} A".format,
                         [("crw", False), ("crw_formula", True)], "")
    own = [cell for cell in cells if cell.axis("clusters") == cells[0].axis("clusters")]
    values += walk_curve(axes, own, "threads", lambda cell: cell.medians.get("rw"), "#000000", 7, "RW")
    values += walk_curve(axes, own, "threads", lambda cell: cell.medians.get("rw_formula"), "#000000", formula=True)
    walk_frame(axes, values, "threads", "steps per thread", legend=True)


def walk_correlation(axes, cells, measure, label):
    """The time of each cell over its steps: a mark per cell, a colour per search."""
    values = []
    for number, search in enumerate(unique(cell.axis("search") for cell in cells)):
        points = [(cell.medians[measure], cell.medians["kernel"]) for cell in cells
                  if cell.axis("search") == search and cell.medians.get(measure, 0) > 0 and "kernel" in cell.medians]
        if points:
            axes.plot(*zip(*points), color=COLOURS[number % 8], marker=WALK_MARKS[number % 10], markersize=3.5,
                      linestyle="", label=search)
        values += [y for _, y in points]
    walk_frame(axes, values, label, TIME, legend=True)


def walk_collisions(axes, cells):
    values = walk_groups(axes, cells, "threads", "search", str, [("collisions", False), ("collisions_formula", True)], "")
    walk_frame(axes, values, "threads", "pairs of threads", legend=True)


def walk_ratio(axes, cells, measure):
    values = walk_groups(axes, cells, "threads", "free", "{} % free".format,
                         [(f"{measure}_ratio", False), (f"{measure}_formula_ratio", True)], "")
    walk_frame(axes, values, "threads", "steps of RW over those of RW-BM", legend=True)


def walk_panels(name, cells):
    """The rows of a figure: (what a row is of, [(painter, name of the panel)])."""
    def median(measure):
        return lambda cell: cell.medians.get(measure)

    def each(choice, members=cells):
        return [(value, [cell for cell in members if cell.axis(choice) == value])
                for value in unique(cell.axis(choice) for cell in members)]

    def curves(members, across, value, label, formula=None, log=True):
        return lambda axes, styles: walk_allocators(axes, members, across, value, styles, label, formula, log)

    def scenario(text):
        sizes = text.removesuffix("-freed")
        return (sizes if sizes == "mixed" else pretty_size(sizes)) + (", freed" if text != sizes else "")

    def speedup(cell):
        for other in cells:
            if other.axis("allocator").startswith("ouroboros") and "total" in other.medians and all(
                    other.axis(choice) == value for choice, value in cell.axes.items() if choice != "allocator"):
                return other.medians["total"] / cell.medians["total"] if "total" in cell.medians else None
        return None

    if name == "random-walk-fig1":
        return [("", [(lambda axes, styles: walk_fig1(axes, cells), "latency of an atomic operation on one word")])]
    if name == "random-walk-fig4":
        return [("", [(curves(own, "threads", lambda cell: cell.means.get("alloc"), "milliseconds (mean)"), scenario(what))
                      for what, own in each("scenario")])]
    if name == "random-walk-fig6":
        return [("steps by formula", [
            (lambda axes, styles: walk_fig6(axes, cells, "tas", "queue_tas"), "per thread (TAS: Eq. 3; queue: Eq. 1)"),
            (lambda axes, styles: walk_fig6(axes, cells, "was", "queue_was"),
             "per warp (WAS: bound of Eq. 4; queue: Eq. 2)")])]
    if name == "random-walk-fig10":
        return [("average steps per thread; M clusters of A free pages; broken lines: Eq. 9 (CRW) and Eq. 3 (RW)", [
            (lambda axes, styles, m=own: walk_fig10(axes, m), f"{free} % free") for free, own in each("free")])]
    if name == "random-walk-fig11":
        return [(title, [(curves(own, "threads", median(measure), label, formula and median(formula)), f"{free} % free")
                         for free, own in each("free")])
                for title, measure, label, formula in (
                    ("kernel time", "alloc", TIME, None),
                    ("average steps per thread (TAS); broken lines: Eq. 1 (queue), 3 (flag), 5 (bitmap)", "tas", "steps",
                     "tas_formula"),
                    ("most steps in a warp, average over warps (WAS); broken lines: Eq. 2 (queue), bounds of Eq. 4 (flag) "
                     "and 6 (bitmap)", "was", "steps", "was_formula"))]
    if name == "random-walk-fig12":
        return [("measured; broken lines: by formula", [
            (lambda axes, styles: walk_ratio(axes, cells, "tas"), "average steps per thread (Eq. 3 over Eq. 5)"),
            (lambda axes, styles: walk_ratio(axes, cells, "was"), "most steps in a warp (Eq. 4 over Eq. 6)")])]
    if name == "random-walk-correlation":
        counted = [cell for cell in cells if "collisions" in cell.medians]
        return [("", [
            (lambda axes, styles: walk_correlation(axes, cells, "tas", "average steps per thread (TAS)"), "time over TAS"),
            (lambda axes, styles: walk_correlation(axes, cells, "was", "most steps in a warp (WAS)"), "time over WAS"),
            (lambda axes, styles: walk_collisions(axes, counted), "collisions; broken lines: N (N - 1) / 2T")])]
    if name in ("random-walk-fig13", "random-walk-fig14"):
        return [(f"{free} % free", [(curves(own, "threads", median("alloc"), TIME), scenario(what))
                                    for what, own in each("scenario", members)]) for free, members in each("free")]
    if name == "random-walk-fig15":
        return [("handed out before the first refusal; broken lines: what rounding up leaves", [
            (curves(own, "size", median("handed_out"), "share of the heap", median("handed_out_formula"), log=False),
             f"chunks of {pretty_size(largest)}, pages of {int(largest) // 32} B") for largest, own in each("largest")])]
    across = "tuples" if name == "random-walk-fig17" else "page"
    return [("", [(curves(cells, across, median("total"), TIME), "partition, build and probe"),
                  (curves(cells, across, median("probe"), TIME), "probe"),
                  (curves(cells, across, speedup, "speedup"), "all three: speedup over Ouroboros")])]


# What a row shows; all other choices are told in its title, and have rows of their own.
WALK_SHOWN = {
    "random-walk-fig1": ("operation", "threads"), "random-walk-fig4": ("allocator", "scenario", "threads"),
    "random-walk-fig6": ("free", "threads"), "random-walk-fig10": ("free", "clusters", "threads"),
    "random-walk-correlation": ("search", "free", "threads"),
    "random-walk-fig11": ("allocator", "free", "threads"), "random-walk-fig12": ("free", "threads"),
    "random-walk-fig13": ("allocator", "scenario", "free", "threads"),
    "random-walk-fig14": ("allocator", "scenario", "free", "threads"),
    "random-walk-fig15": ("allocator", "largest", "size"),
    "random-walk-fig17": ("allocator", "tuples"), "random-walk-fig18": ("allocator", "page"),
}


def walk_setting(choice, value):
    """A choice that a row has in common, in words."""
    if choice in ("heap", "pool"):
        return f"{choice} of {pretty_size(value)}"
    return {"pages": "{:,} pages", "tuples": "{:,} tuples", "page": "pages of {} B", "threads": "{:,} threads a launch",
            "operations": "{} operations a thread", "copies": "each key {} times",
            "tuples-per-thread": "a thread per tuple" if value == "1" else "a thread per {} tuples", "before": "heap {} before", "space": "{}"}.get(choice, choice + " {}").format(
                int(value) if value.isdigit() else value)


def walk_rows(cells):
    name = cells[0].benchmark
    hidden = WALK_SHOWN[name] + ("seed", "repetitions", "warm-up", "host-threads")

    def rest(cell):
        return tuple((choice, value) for choice, value in cell.axes.items() if choice not in hidden)

    title = ("Section III-B" if name == "random-walk-correlation" else f"Figure {name.removeprefix('random-walk-fig')}") + \
        " of the random-walk paper: "
    rows = []
    for setting in unique(map(rest, cells)):
        told = ", ".join(walk_setting(choice, value) for choice, value in setting)
        for what, panels in walk_panels(name, [cell for cell in cells if rest(cell) == setting]):
            rows.append((title + told + (f": {what}" if what else ""), panels))
    return rows


# The figures of the coalescing paper: which choices their panels show. All others have rows of their own.
COALESCING_SHOWN = {
    "coalescing-fig1": ("allocator", "floats"), "coalescing-fig2": ("allocator", "floats"),
    "coalescing-fig3": ("allocator", "floats", "pattern"), "coalescing-fig4": ("allocator", "floats"),
    "coalescing-fig5": ("allocator", "collective", "blocks", "block-threads", "doubles"),
    "coalescing-programs": ("allocator", "program"),
}


def coalescing_curves(axes, cells, styles, value, label, log):
    """A curve for each allocator over the number of floats, in the colours of the legend below."""
    values = []
    for number, (name, style) in enumerate(styles.items()):
        points = sorted((int(cell.axis("floats")), value(cell)) for cell in cells
                        if cell.axis("allocator") == name and (value(cell) or 0) > 0)
        if points:
            axes.plot(*zip(*points), marker=WALK_MARKS[number % 10], markersize=3.5, linewidth=1.3, color=style["color"],
                      linestyle=(0, (4, 2)) if style["hatch"] else "-")
        values += [y for _, y in points]
    if values and log:
        axes.set_yscale("log")
        log_values(axes.yaxis, [min(values) / 1.5, max(values) * 1.5])
        axes.set_ylim(min(values) / 1.5, max(values) * 1.5)
    elif values:
        axes.set_ylim(0, 1.05 * max(values))
    else:
        axes.annotate("not served", (0.5, 0.5), xycoords="axes fraction", ha="center", color=PUBLIC)
    axes.set_xlabel("floats per thread")
    axes.set_ylabel(label)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def coalescing_bars(axes, cells, styles, value, label, by="collective"):
    """Groups of bars by collective or program, a bar for each allocator."""
    groups = unique(cell.axis(by) for cell in cells)
    names = [name for name in styles if any(cell.axis("allocator") == name for cell in cells)]
    width = 0.84 / max(1, len(names))
    for cell in cells:
        if (value(cell) or 0) <= 0:
            continue
        style = styles[cell.axis("allocator")]
        x = groups.index(cell.axis(by)) - 0.42 + (names.index(cell.axis("allocator")) + 0.5) * width
        axes.bar(x, value(cell), width * 0.92, color=style["color"], hatch=style["hatch"], edgecolor="white", linewidth=0)
    axes.set_yscale("log")
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylabel(label)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def coalescing_rows(cells):
    name = cells[0].benchmark
    hidden = COALESCING_SHOWN[name] + ("seed", "repetitions", "warm-up", "host-threads")

    def median(measure):
        return lambda cell: cell.medians.get(measure)

    def speedup(measure):
        def over_malloc(cell):
            for other in cells:
                if other.axis("allocator") == "device-malloc" and measure in other.medians and all(
                        other.axis(choice) == value for choice, value in cell.axes.items() if choice != "allocator"):
                    return other.medians[measure] / cell.medians[measure] if cell.medians.get(measure) else None
            return None
        return over_malloc

    def rest(cell):
        return tuple((choice, value) for choice, value in cell.axes.items() if choice not in hidden)

    def curves(own, value, label, log=False):
        return lambda axes, styles: coalescing_curves(axes, own, styles, value, label, log)

    rows = []
    for setting in unique(map(rest, cells)):
        own = [cell for cell in cells if rest(cell) == setting]
        told = ", ".join(f"heap of {pretty_size(value)}" if choice == "heap" else f"{choice} {value}"
                         for choice, value in setting)
        title = f"Figure {name[-1]} of the coalescing paper: {told}"
        if name in ("coalescing-fig1", "coalescing-fig2"):
            rows.append((title, [(curves(own, median("performance"), "Gflop/s"), "work"),
                                 (curves(own, median("footprint"), "lines of 128 bytes", True),
                                  "lines that a warp touches in all")]))
        elif name == "coalescing-fig3":
            by_pattern = [(pattern, [cell for cell in own if cell.axis("pattern") == pattern])
                          for pattern in unique(cell.axis("pattern") for cell in own)]
            for what, value, label in (("speedup of work", speedup("work"), "speedup over CUDA's malloc"),
                                       ("work", median("performance"), "Gflop/s")):
                rows.append((f"{title}: {what}", [(curves(members, value, label), pattern)
                                                  for pattern, members in by_pattern]))
        elif name == "coalescing-fig4":
            rows.append((f"{title}: mean over threads", [(curves(own, median("alloc"), TIME, True), "allocating"),
                                                         (curves(own, median("free"), TIME, True), "freeing")]))
            rows.append((f"{title}: launches that do nothing else",
                         [(curves(own, median("alloc_launch"), TIME, True), "allocating"),
                          (curves(own, median("free_launch"), TIME, True), "freeing")]))
        elif name == "coalescing-programs":
            rows.append((f"Programs of several collectives: {told}", [
                (lambda axes, styles, m=own: coalescing_bars(axes, m, styles, median("rank"), TIME, "program"),
                 "a rank, in the kernel"),
                (lambda axes, styles, m=own: coalescing_bars(axes, m, styles, speedup("rank"), "speedup", "program"),
                 "speedup over CUDA's malloc")]))
        else:
            rows.append((title, [(lambda axes, styles, m=own: coalescing_bars(axes, m, styles, median("operation"), TIME),
                                  "operation"),
                                 (lambda axes, styles, m=own: coalescing_bars(axes, m, styles, speedup("operation"), "speedup"),
                                  "speedup over CUDA's malloc")]))
    return rows


def communication_curves(axes, cells, measure, label):
    """A curve for each call over the bytes that a rank passes; a level line for a call without arrays."""
    values = []
    for number, call in enumerate(unique(cell.axis("call") for cell in cells)):
        own = [cell for cell in cells if cell.axis("call") == call]
        colour = COLOURS[number % len(COLOURS)]
        if all(cell.axis("message") == "0" for cell in own):
            for height in [cell.medians[measure] for cell in own if measure in cell.medians]:
                axes.axhline(height, color=colour, linewidth=1.2, linestyle=(0, (4, 2)), label=call)
                values.append(height)
        else:
            values += walk_curve(axes, own, "message", lambda cell: cell.medians.get(measure), colour, number, call)
    walk_frame(axes, values, "message", label, legend=True)


def communication_rows(cells):
    """One row for each backend, space and number of ranks."""
    def setting_of(cell):
        return tuple(cell.axis(name) for name in ("backend", "space", "ranks"))

    return [(f"communication: {setting[0]} on {setting[1]}, {setting[2]} ranks",
             [(lambda axes, styles, m=measure, text=label, own=[c for c in cells if setting_of(c) == setting]:
               communication_curves(axes, own, m, text), panel)
              for measure, panel, label in (("time", "a call", TIME),
                                            ("bandwidth", "received by a rank", "GB/s (median)"))])
            for setting in unique(map(setting_of, cells))]


def model_rows(cells):
    """Predictions over the number of ranks, a curve for each workload: one row for each number of ranks of a host."""
    def panel(axes, own, measure, label, log):
        values = walk_groups(axes, own, "ranks", "workload", str, [(measure, False)], "")
        walk_frame(axes, values, "ranks", label, legend=log, log=log)  # colours are those of the first panel

    return [(f"communication-model: {per_host} GPUs of a host, predicted",
             [(lambda axes, styles, m=measure, text=label, scale=log, own=[
                 c for c in cells if c.axis("ranks-per-host") == per_host]: panel(axes, own, m, text, scale), title)
              for measure, title, label, log in (("time", "a step", "milliseconds", True),
                                                 ("efficiency", "one GPU's time over this time", "share", False))])
            for per_host in unique(cell.axis("ranks-per-host") for cell in cells)]


PAPER_ROWS = {"ouroboros-fig3": fig3_rows, "ouroboros-fig4": fig4_rows} | {
    **{name: gg_rows for name in GG_PANELS}, **{name: select_rows for name in SELECT_PANELS}, **{name: walk_rows for name in WALK_SHOWN},
    **{name: coalescing_rows for name in COALESCING_SHOWN},
    "space-sweep": sweep_rows, "communication": communication_rows, "communication-model": model_rows}


def rows_of(cells):
    """One row of panels for each benchmark, and each combination of what a panel does not show."""
    rows = []
    for benchmark in unique(cell.benchmark for cell in cells):
        if benchmark.startswith("maintained-"):
            rows += maintained_rows([cell for cell in cells if cell.benchmark == benchmark])
            continue
        if benchmark in PAPER_ROWS:
            rows += PAPER_ROWS[benchmark]([cell for cell in cells if cell.benchmark == benchmark])
            continue
        if benchmark == "updates" or benchmark in GRAPH_PANELS:
            rows += graph_rows_of(benchmark, [cell for cell in cells if cell.benchmark == benchmark])
            continue
        own = [cell for cell in cells if cell.benchmark == benchmark]
        scaling = benchmark == "scaling"
        rest = ("mode", "space", "heap") + (() if scaling else ("threads",))

        def settings(cell):
            values = tuple(cell.axis(name) for name in rest)
            # CUDA's malloc is measured with fewer threads: it stands in the same picture, and says so.
            return values[:3] if not scaling and cell.axis("allocator") == "device-malloc" else values

        for setting in unique(values for values in map(settings, own) if len(values) == len(rest)):
            members = [c for c in own if settings(c) == setting or settings(c) == setting[:3] and not scaling]
            title = f"{benchmark}: heap {pretty_size(setting[2])}, one request a {setting[0]}, {setting[1]}"
            if not scaling:
                title += f", {int(setting[3]):,} threads"
                others = unique(c.axis("threads") for c in members if c.axis("threads") != setting[3])
                if others:
                    title += f" (device-malloc {int(others[0]):,})"
            if scaling:
                sizes = sorted(unique(c.axis("size") for c in members), key=size_key)
                for measure, word in (("alloc", "allocate"), ("free", "free")):
                    rows.append((f"{title}: {word}", [
                        (lambda ax, styles, m=measure, s=size:
                            lines(ax, [c for c in members if c.axis("size") == s], m, styles),
                         pretty_size(size)) for size in sizes]))
                # members is bound late: each row draws before the next is made only if it is kept here
                rows[-2:] = [(t, [(lambda ax, st, f=f, own=members: f(ax, st), name) for f, name in p])
                             for t, p in rows[-2:]]
            else:
                panels = PANELS.get(benchmark, [("alloc", "allocate", TIME, True)])
                rows.append((title, [
                    (lambda ax, styles, p=panel, own=members: bars(ax, own, p[0], styles, p[2], p[3]), panel[1])
                    for panel in panels]))
                for size in unique(c.axis("size") for c in members if "range_of_rounds" in c.curves):
                    rows.append((f"{title}: {pretty_size(size)} a request, over the rounds", [
                        (lambda ax, styles, p=panel, own=[c for c in members if c.axis("size") == size]:
                            growth_curves(ax, own, p[0], styles, p[2], p[3]), panel[1]) for panel in GROWTH_CURVES]))
    return rows


def draw(document, output, form):
    cells = read_cells(document)
    if not cells:
        sys.exit("there is no cell in these results")
    styles = styles_of(cells)
    rows = rows_of(cells)
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "svg.hashsalt": "rhizome", "axes.spines.top": False,
                         "axes.spines.right": False})
    columns = max(len(panels) for _, panels in rows)
    context = document["context"]
    comparisons = context.get("comparisons", [])
    table = [0.25 * (len(comparisons) + 1) + 0.2] if comparisons else []
    heights = [0.3] + [3.3] * len(rows) + table + [0.25 * math.ceil((len(styles) + 1) / 4) + 0.15]  # inches
    figure = plt.figure(figsize=(max(8.0, 4.6 * columns), sum(heights)), layout="constrained")
    head, *parts, foot = figure.subfigures(len(heights), 1, height_ratios=heights)
    if comparisons:
        draw_comparisons(parts.pop(), comparisons)
    for part, (title, panels) in zip(parts, rows):
        part.suptitle(title, fontsize=10 if len(title) < 16 * max(5, len(panels) * 3) else 8, fontweight="bold",
                      x=0.01, ha="left")
        for axes, (paint, name) in zip(part.subplots(1, len(panels), squeeze=False)[0], panels):
            paint(axes, styles)
            axes.set_title(name)
    if all(cell.benchmark in WALK_SHOWN or cell.benchmark in COALESCING_SHOWN and cell.axis("floats") for cell in cells):
        handles = [plt.Line2D([0], [0], color=s["color"], marker=WALK_MARKS[i % 10], markersize=4, linewidth=1.3,
                              linestyle=(0, (4, 2)) if s["hatch"] and cells[0].benchmark in COALESCING_SHOWN else "-")
                   for i, s in enumerate(styles.values())]
    else:
        handles = [plt.Rectangle((0, 0), 1, 1, facecolor=s["color"], hatch=s["hatch"], edgecolor="white", linewidth=0)
                   for s in styles.values()]
    labels = list(styles)
    if any("best" in figure_set for cell in cells if cell.benchmark not in SELECT_PANELS for figure_set in cell.public.values()):
        handles.append(plt.Line2D([0], [0], color=PUBLIC, linewidth=1.2, linestyle=(0, (4, 2))))
        labels.append("best public")
    if any(cell.axis("source") == "stand-in" for cell in cells):
        handles.append(plt.Line2D([0], [0], linestyle=""))
        labels.append("* a generated stand-in")
    if labels:
        wide = max(map(len, labels)) > 32 and columns < 3
        foot.legend(handles, labels, loc="center", ncols=min(3 if wide else 4, len(labels)), frameon=False)
    used = unique(cell.axis("space") for cell in cells)
    devices = ", ".join(filter(None, (
        " ".join(filter(None, (space["device"], space.get("driver") and f"(driver {space['driver']})")))
        for name, space in context.get("spaces", {}).items() if name in used and "device" in space)))
    told = filter(None, (devices, f"commit {context.get('commit', 'unknown')}", context.get("date", "")))
    head.text(0.01, 0.5, " · ".join(told), fontsize=8, color="#555555", va="center")
    figure.savefig(output, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", help="JSON of rhizome bench run (- is standard input), and the picture: "
                        ".svg, .png or .pdf")
    parser.add_argument("--format", help="svg, png or pdf; default: by the picture's name")
    parser.add_argument("--to-descriptor", type=int, help="write to an open file descriptor instead")
    parser.add_argument("--check", action="store_true", help="only find out whether pictures can be drawn here")
    options = parser.parse_args()
    if options.check:
        return
    if not options.files:
        parser.error("expected results and a picture's name")
    results, picture = options.files, None
    if options.to_descriptor is None:
        results, picture = options.files[:-1], options.files[-1]
    if not results:
        parser.error("expected results and a picture's name")
    form = options.format or os.path.splitext(picture or "")[1][1:]
    if form not in ("svg", "png", "pdf"):
        parser.error(f"cannot draw '{form}', only svg, png, pdf")
    document = None
    for name in results:
        try:
            with sys.stdin if name == "-" else open(name, encoding="utf-8") as file:
                part = json.load(file)
        except (OSError, ValueError) as error:
            sys.exit(f"{name}: {error}")
        if document is None:
            document = part
        else:
            document["benchmarks"] += part["benchmarks"]
    if options.to_descriptor is not None:
        with os.fdopen(options.to_descriptor, "wb") as output:
            draw(document, output, form)
    else:
        draw(document, picture, form)


if __name__ == "__main__":
    main()
