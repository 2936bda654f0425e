# SPDX-License-Identifier: Apache-2.0
"""Results in the library whose arrays came in."""

from typing import Any


def to_numpy(array: Any) -> Any:
    """A NumPy array: the same memory on the CPU, a copy of a GPU's."""
    import numpy as np

    if array.device == "cpu":
        return np.asarray(array)
    copy = np.empty(array.size, array.dtype)
    array._copy_to(copy.__array_interface__["data"][0])
    return copy


def as_result(array: Any) -> Any:
    """What a call without arrays returns: NumPy's array of a graph on the CPU, a ``rhizome.Array`` on a GPU."""
    return to_numpy(array) if array.device == "cpu" else array


def like(array: Any, given: Any) -> Any:
    """The array in the library of ``given``, and where that lies: on the CPU, or on the graph's GPU."""
    library = type(given).__module__.partition(".")[0]
    if library == "torch":
        import torch

        return torch.from_dlpack(array) if given.is_cuda else torch.from_numpy(to_numpy(array))
    if library == "cupy":
        import cupy

        return cupy.from_dlpack(array)
    if library in ("jax", "jaxlib"):
        import jax

        on_gpu = given.__dlpack_device__()[0] == 2
        return jax.dlpack.from_dlpack(array) if on_gpu else jax.numpy.asarray(to_numpy(array))
    if array.device != "cpu" and (isinstance(given, type(array)) or hasattr(given, "__cuda_array_interface__")):
        return array
    return to_numpy(array)


def cast(given: Any, what: str, dtype: str) -> Any:
    """A NumPy array of this type. Refuses what would lose more than precision."""
    import numpy as np

    given = np.asarray(given)
    with np.errstate(over="ignore", invalid="ignore"):
        made = given.astype(dtype, casting="same_kind")
    if np.dtype(dtype).kind == "i":
        same = np.array_equal(made, given)
    else:
        same = np.array_equal(np.isinf(made), np.isinf(given))
    if not same:
        raise ValueError(f"{what}: holds a number that {dtype} cannot hold")
    return made
