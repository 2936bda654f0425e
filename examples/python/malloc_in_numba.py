# SPDX-License-Identifier: Apache-2.0
"""rhizome_malloc in a kernel of Numba: python malloc_in_numba.py FOLDER, with librhizome_malloc_host.so and rhizome_malloc.ltoir."""

import ctypes
import pathlib
import sys

import numpy as np
from cuda.bindings import driver
from numba import cuda, types

folder = pathlib.Path(sys.argv[1])
library = ctypes.CDLL(str(folder / "librhizome_malloc_host.so"))
library.rhizome_malloc_error.restype = ctypes.c_char_p


class Options(ctypes.Structure):
    _fields_ = [("heap_bytes", ctypes.c_size_t), ("most_bytes", ctypes.c_size_t), ("checked", ctypes.c_bool)]


def check(result):
    if result != 0:
        raise RuntimeError(library.rhizome_malloc_error().decode())


def lend(module):
    """Called by Numba once it has loaded a kernel: says where the heap is."""
    result, variable, size = driver.cuLibraryGetGlobal(module.handle, b"rhizome_malloc_heap")
    if int(result) != 0:
        raise RuntimeError(f"the module has no variable rhizome_malloc_heap: {result.name}")
    check(library.rhizome_malloc_lend(ctypes.c_void_p(int(variable)), ctypes.c_size_t(size)))


code = cuda.LTOIR((folder / "rhizome_malloc.ltoir").read_bytes(), setup_callback=lend)
malloc = cuda.declare_device("rhizome_c_malloc", types.uint64(types.uint64), link=code, abi="c")
free = cuda.declare_device("rhizome_c_free", types.void(types.uint64), link=code, abi="c")


@cuda.jit(lto=True)
def allocate(blocks):
    i = cuda.grid(1)
    if i < blocks.size:
        blocks[i] = malloc(types.uint64(16 + i % 1000))


@cuda.jit(lto=True)
def deallocate(blocks):
    i = cuda.grid(1)
    if i < blocks.size and i != 99:  # a mistake: block 99 leaks
        free(blocks[i])


check(library.rhizome_malloc_init(ctypes.byref(Options(heap_bytes=256 << 20, checked=True))))
blocks = cuda.to_device(np.zeros(100_000, np.uint64))
allocate[(blocks.size + 255) // 256, 256](blocks)
addresses = blocks.copy_to_host()
print(f"{np.count_nonzero(addresses)} blocks, {np.unique(addresses).size} different addresses")
deallocate[(blocks.size + 255) // 256, 256](blocks)
leaks = (ctypes.c_size_t * 3)()
stderr = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stderr")
check(library.rhizome_malloc_report_leaks(stderr, leaks))
print(f"{leaks[0]} block of {leaks[1]} bytes not freed")
check(library.rhizome_malloc_destroy())
