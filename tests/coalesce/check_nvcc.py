#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvcc takes what rhizome-coalesce makes of the corpus: check_nvcc.py TOOL NVCC HEADERS RHIZOME REWRITTEN

REWRITTEN is the folder in which check_corpus.py --keep has left the rewritten cases. RHIZOME is the folder of Rhizome's headers,
which sources with --dynamic include. No device code is made, but of a program of two files that are linked.

Most cases are compiled together, each in a namespace of its own. A case that includes files or names global things is
compiled alone.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

nvcc = sys.argv[2]
tool, headers, rhizome, rewritten = (str(pathlib.Path(one).resolve()) for one in (sys.argv[1], *sys.argv[3:]))
INCLUDE = re.compile(r"^#include <rhizome_coalesced_\w+\.cuh>\n", re.M)
GLOBAL = re.compile(r'^\s*#\s*include|extern\s+"C"|operator new|operator delete|(?<!rhizome)(?<!coalesced)(?<!reached)(?<![\w>])::|\bint main\b|cudaMalloc', re.M)


def run(source, *options):
    made = subprocess.run([nvcc, "-arch=sm_80", "-w", "-I" + headers, "-I" + rhizome, *options, str(source)],
                          capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"{source} does not compile:\n{made.stdout}{made.stderr}")


def check_syntax(source):
    run(source, "-std=c++20", "-fdevice-syntax-only", "-Xcompiler=-fsyntax-only", "-c", "-o", "/dev/null")


cases = {path: path.read_text() for path in sorted(pathlib.Path(rewritten).glob("*/*.cu")) if "rhizome::coalesced" in path.read_text()}
if len(cases) < 50:
    sys.exit(f"only {len(cases)} rewritten cases in {rewritten}: run check_corpus.py --keep first")
alone = [path for path, text in cases.items() if GLOBAL.search(INCLUDE.sub("", text))]
with tempfile.TemporaryDirectory() as work:
    for header in ("malloc", "dynamic"):
        together = [p for p in cases if p not in alone and ("rhizome_coalesced_dynamic" in cases[p]) == (header == "dynamic")]
        whole = f"#include <rhizome_coalesced_{header}.cuh>\n"
        for number, path in enumerate(together):
            text = INCLUDE.sub("\n", cases[path])
            macros = "".join(f"#undef {name}\n" for name in re.findall(r"^\s*#\s*define (\w+)", text, re.M))
            whole += f'namespace case_{number} {{\n#line 1 "{path}"\n{text}\n{macros}}}\n'
        source = pathlib.Path(work) / f"{header}.cu"
        source.write_text(whole)
        check_syntax(source)
    for path in alone:
        check_syntax(path)

    # Another file calls a function whose text the tool has changed, by a declaration of its own. The two share the registry.
    folder = pathlib.Path(work)
    (folder / "maker.cu").write_text("__device__ void* make(int n) { return malloc(n); }\n__global__ void makes(int n) { free(make(n)); }\n")
    (folder / "caller.cu").write_text("extern __device__ void* make(int n);\n__global__ void calls(int n) { free(make(n)); }\nint main() { calls<<<1, 32>>>(8); }\n")
    subprocess.run([tool, "--whole-program", "--in-place", "maker.cu", "caller.cu"], cwd=work, check=True, capture_output=True)
    if "block_malloc(n, rhizome_reached)" not in (folder / "maker.cu").read_text():
        sys.exit("make() was not rewritten")
    run(folder / "maker.cu", "-std=c++17", "-rdc=true", str(folder / "caller.cu"), "-o", str(folder / "program"))
    alone_compiled = subprocess.run([nvcc, "-arch=sm_80", "-I" + headers, "-fdevice-syntax-only", "-c", str(folder / "maker.cu"), "-o", "/dev/null"], capture_output=True, text=True)
    if "compile them with nvcc -rdc=true" not in alone_compiled.stderr:
        sys.exit("files of one program are compiled without -rdc=true")
print(f"{len(cases)} rewritten cases, {len(alone)} of them alone")
