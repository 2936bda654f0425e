#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs NetworkX's own tests with the backend in the place of NetworkX, for the functions that it has.

Functions that it lacks, and calls that it refuses, run in NetworkX. Fails if a test does, and if a function of the
backend was never called.
"""

import collections
import os
import sys

os.environ["NETWORKX_TEST_BACKEND"] = "rhizome"
os.environ["NETWORKX_FALLBACK_TO_NX"] = "True"

import pytest

from rhizome import _networkx
from rhizome._networkx_info import FUNCTIONS

SUITES = [
    "networkx.algorithms.link_analysis.tests.test_pagerank",
    "networkx.algorithms.tests.test_cluster",
    "networkx.algorithms.tests.test_core",
    "networkx.algorithms.components.tests.test_connected",
    "networkx.algorithms.components.tests.test_weakly_connected",
    "networkx.algorithms.shortest_paths.tests.test_unweighted",
    "networkx.algorithms.shortest_paths.tests.test_weighted",
]

calls = collections.Counter()


def counted(name):
    original = getattr(_networkx, name)

    def call(*args, **kwargs):
        calls[name] += 1
        return original(*args, **kwargs)

    return staticmethod(call)


for function in FUNCTIONS:
    setattr(_networkx._Backend, function, counted(function))
ended = pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", *SUITES])
never = [name for name in FUNCTIONS if calls[name] == 0]
for name, count in sorted(calls.items()):
    print(f"{name}: {count} calls")
if never:
    print("never called:", ", ".join(never))
sys.exit(ended or (1 if never else 0))
