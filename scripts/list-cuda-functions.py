#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists functions of CUDA's headers that compute a value from numbers alone, for coalesce/known_calls.cpp.

list-cuda-functions.py INCLUDE_FOLDER > coalesce/cuda_functions.inc. A function is listed if it is for device code, takes
no pointer or reference, returns something, and is none that reads what other threads do (shuffles, votes, clocks).
"""
import pathlib
import re
import sys

HEADERS = ["crt/math_functions.h", "crt/device_functions.h", "crt/device_double_functions.h", "crt/device_fp128_functions.h",
           "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_61_intrinsics.h", "crt/sm_80_rt.h",
           "crt/sm_90_rt.h", "vector_functions.h", "cuComplex.h", "cuda_fp16.h", "cuda_bf16.h"]
NOT_ALONE = re.compile(r"sync|shfl|ballot|^__any$|^__all$|barrier|atomic|clock|activemask|fence|trap|brkpt|nanosleep|prof|"
                       r"^__ld|^__st[a-z]{2}$|^tex|^surf|malloc|printf|assert|mem|lane|__pm|exit|[Gg]rid|cluster|match|"
                       r"reduce|isGlobal|isShared|isConstant|isLocal|__cvta|thread|^operator$|^if$|^while$|^sizeof$|^defined$|"
                       r"^asm$|^return$|^switch$|managed")
QUALIFIER = re.compile(r"__device__|_DECL__|__device_builtin__")
found = set()
folder = pathlib.Path(sys.argv[1])
for header in HEADERS:
    path = folder / header
    if not path.exists():
        continue
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(errors="replace"), flags=re.S)
    text = re.sub(r"^[ \t]*#.*?(?<!\\)$", " ", text, flags=re.M | re.S)
    for match in re.finditer(r"([^;{}]*?)\b([A-Za-z_]\w*)\s*\(([^()]*)\)[^;{}()]*[;{]", text):
        before, name, parameters = match.groups()
        if not QUALIFIER.search(before) or "*" in parameters or "&" in parameters or "*" in before[-40:]:
            continue
        if re.search(r"\bvoid\b", before) or NOT_ALONE.search(name) or "..." in parameters or not parameters.strip():
            continue
        found.add(name)
print("// SPDX-License-Identifier: Apache-2.0")
print("// Functions of CUDA's headers that compute a value from numbers alone. scripts/list-cuda-functions.py wrote this list.")
line = ""
for name in sorted(found):
    word = f'"{name}",'
    if len(line) + len(word) > 115:
        print(line.rstrip())
        line = ""
    line += word + " "
print(line.rstrip())
