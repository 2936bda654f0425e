# SPDX-License-Identifier: Apache-2.0
"""Chooses the compiled module: that of the CUDA plugin where one is installed, else the one in this package.

The plugin is the distribution ``rhizome-graph-cuda13``. It names its module under the entry point ``rhizome.engines``.
``RHIZOME_CPU_ONLY=1`` leaves it alone. Nothing is looked for before the first graph is made.
"""

import functools
import os
from typing import Any

from . import _core as _built_in


def version() -> str:
    return _built_in.version


@functools.cache
def engine() -> Any:
    """The compiled module that makes graphs."""
    if os.environ.get("RHIZOME_CPU_ONLY", "0") not in ("", "0"):
        return _built_in
    from importlib.metadata import entry_points

    for plugin in entry_points(group="rhizome.engines"):
        module = plugin.load()
        if module.version != _built_in.version:
            raise ImportError(
                f"{plugin.value} is of version {module.version}, rhizome-graph of {_built_in.version}: "
                "install both in the same version"
            )
        return module
    return _built_in


def cuda_unusable_because() -> str:
    """Why graphs cannot be made on a GPU here; ``""`` if they can."""
    if engine() is _built_in and os.environ.get("RHIZOME_CPU_ONLY", "0") not in ("", "0"):
        return "RHIZOME_CPU_ONLY is set"
    return engine().cuda_unusable_because()


def cuda_device_count() -> int:
    """How many GPUs can hold graphs: 0 where ``cuda_unusable_because()`` gives a reason."""
    return 0 if cuda_unusable_because() else engine().cuda_device_count()
