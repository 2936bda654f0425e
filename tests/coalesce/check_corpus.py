#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what rhizome-coalesce says of each allocation of a source with the comments behind it.

check_corpus.py TOOL SOURCE [COMPILER ARGUMENTS]. A comment is `// rewritten block`, `// rewritten warp` or
`// left: PART OF THE REASON`; the first line of the source is `// options: ...`.
"""
import re
import subprocess
import sys

tool, source, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
text = open(source).read().splitlines()
options = text[0].split("options:", 1)[1].split()
run = subprocess.run([tool, *options, source, "--", *arguments], capture_output=True, text=True)
if run.returncode != 0:
    sys.exit(f"{source}: the tool failed\n{run.stderr}")

said = {}
for line in run.stderr.splitlines():
    match = re.match(r".*?:(\d+):\d+: (rewritten \((\w+)\)|left alone): (.*)", line)
    if match:
        said.setdefault(int(match[1]), []).append((f"rewritten {match[3]}" if match[3] else "left", match[4]))
expected = {n: m[1].strip() for n, line in enumerate(text, 1) if (m := re.search(r"//\s*((?:rewritten|left:).*)$", line))}

errors = []
for number in sorted(said.keys() | expected.keys()):
    want, got = expected.get(number), said.get(number, [])
    if want is None or len(got) != 1:
        errors.append(f"{source}:{number}: expected {want}, the tool says {got}")
    elif want.startswith("rewritten"):
        if got[0][0] != want:
            errors.append(f"{source}:{number}: expected {want}, the tool says {got[0]}")
    elif got[0][0] != "left" or want[5:].strip() not in got[0][1]:
        errors.append(f"{source}:{number}: expected {want}, the tool says {got[0]}")

# What is left alone stays as it was, and what is rewritten does not.
before, after = text, run.stdout.splitlines()
shift = len(after) - len(before)
for number, want in expected.items():
    calls = len(re.findall(r"\bcoalesced::\w+_malloc\(|\ballocate_in_\w+\(", after[number - 1 + shift]))
    if calls != (1 if want.startswith("rewritten") else 0):
        errors.append(f"{source}:{number}: the rewritten text is: {after[number - 1 + shift]}")
print("\n".join(errors))
print(f"{len(expected)} allocation calls, {len(errors)} errors")
sys.exit(1 if errors or not expected else 0)
