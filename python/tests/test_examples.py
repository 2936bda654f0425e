# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/python run, and print what they ought to."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

import rhizome

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


def run(name):
    ended = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_networkx_one_line():
    assert run("networkx_one_line") == ["highest: 33", "highest: 0", "triangles at 0: 22 parts: 1"]


@pytest.mark.gpu
@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="no cupy")
@pytest.mark.skipif(rhizome.cuda_unusable_because() != "", reason="no GPU can be used")
def test_pagerank_in_cupy():
    lines = run("pagerank_in_cupy")
    # Vertex 0 is the most popular; on the first day those to which it points come before vertex 1.
    assert len(lines) == 5 and all("top [0," in line for line in lines)
    assert all(line.endswith("top [0, 1, 2]") for line in lines[3:])


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
def test_torch_window():
    lines = run("torch_window")
    assert len(lines) == 4 and lines[0].startswith("25000 edges seen, 19")
