# SPDX-License-Identifier: Apache-2.0
"""The Python in the documents prints what they say it prints."""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(path):
    """Each block of Python, and the lines of the indented block after it."""
    text = (ROOT / path).read_text()
    for match in re.finditer(r"^```python\n(.*?)^```$(.*?)(?=^```|^#|\Z)", text, re.M | re.S):
        code, after = match.groups()
        printed = re.search(r"\n\n((?:    .*\n)+)", after)
        yield code, [line[4:] for line in printed[1].splitlines()] if printed else []


@pytest.mark.parametrize("path", ["README.md", "docs/python.md"])
def test_the_python_in(path):
    found = list(blocks(path))
    assert found
    for code, expected in found:
        ended = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=120,
            # As on a machine without a GPU, which is what the documents show.
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        )
        assert ended.returncode == 0, ended.stderr
        printed = ended.stdout.splitlines()
        assert len(printed) == len(expected), ended.stdout
        for line, pattern in zip(printed, expected):
            assert fnmatch.fnmatchcase(line, re.sub(r"([\[\]?])", r"[\1]", pattern).replace("...", "*")), line
