# SPDX-License-Identifier: Apache-2.0
import os

import pytest

import rhizome


def pytest_configure(config):
    if os.environ.get("RHIZOME_REQUIRE_GPU") and rhizome.cuda_unusable_because():
        raise pytest.UsageError(f"RHIZOME_REQUIRE_GPU: {rhizome.cuda_unusable_because()}")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    """Each device that a graph can lie on."""
    if request.param == "cuda" and (reason := rhizome.cuda_unusable_because()):
        pytest.skip(f"no GPU: {reason}")
    return request.param
