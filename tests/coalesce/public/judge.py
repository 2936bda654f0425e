#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says what rhizome-coalesce makes of the public programs in programs.json: the table of docs/coalesce-programs.md.

judge.py TOOL FOLDER [--summary]. FOLDER has a copy of each repository at the commit that the list names, as OWNER+NAME. The sources
are not part of Rhizome, and nothing is compiled or written there. --summary prints a row per repository.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

cache = tempfile.mkdtemp()
tool, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
programs = json.loads((pathlib.Path(__file__).parent / "programs.json").read_text())

# Reasons differ in names and places; these are their kinds.
KINDS = [(r"callers cannot tell .* it is declared in another file", "its function is called from other files"),
         (r"callers cannot tell .* it is a member function", "in a member function"),
         (r"callers cannot tell .* also runs on the host", "its function also runs on the host"),
         (r"callers cannot tell", "callers cannot tell its function"),
         (r"not all threads of the \w+ need reach it", "not all threads reach it"),
         (r"its arguments may differ", "sizes differ among threads"),
         (r"code that is not rewritten may free its pointer", "its pointer leaves what is seen"),
         (r"a kernel that reaches it has ('new'|'delete'|\w+ 'new'|a 'delete'|.*new|.*delete)", "new or delete in the kernel"),
         (r"a kernel that reaches it has a recursive", "recursion in the kernel"),
         (r"a kernel that reaches it has", "threads of the kernel may wait for one another"),
         (r"in another file, which other programs", "in a header"),
         (r"no kernel of this file reaches it", "no kernel of the file reaches it"),
         (r"in a template of which", "in a template without an instance"),
         (r"device code may differ", "depends on the compiler or the architecture"),
         (r"also runs on the host", "its function also runs on the host"),
         (r"a free that may see its pointer", "a free cannot be rewritten")]


def kind_of(reason):
    return next((kind for pattern, kind in KINDS if re.search(pattern, reason)), reason[:60])


def judge(root, program):
    command = [str(tool), "--dry-run", "--header-cache", cache, program["path"], "--", *program.get("arguments", [])]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace")
    counted = re.search(r"^rhizome-coalesce: (\d+) of (\d+) allocation calls rewritten", run.stderr, re.M)
    if run.returncode != 0 or not counted:
        error = re.search(r"error: (.*)", run.stderr)
        return None, error[1] if error else run.stderr.strip()[-80:]
    if counted[2] == "0":
        return (0, 0), "no `malloc` in device code of the file: `new`, or calls of other files"
    reasons = collections.Counter(kind_of(m) for m in re.findall(r": left alone: (.*)", run.stderr))
    return (int(counted[1]), int(counted[2])), ", ".join(
        f"{kind}{f' ({n})' if n > 1 else ''}" for kind, n in reasons.most_common())


print("| program | file | parses | rewritten | left alone, and why |\n|---|---|---|---|---|")
parsed = total = rewritten = calls = 0
for repository in programs:
    root = folder / repository["repository"].replace("/", "+")
    for program in repository["programs"]:
        total += 1
        counts, why = judge(root, program)
        name = f"`{repository['repository']}`"
        if counts is None:
            print(f"| {name} | `{program['path']}` | no | | {program.get('note', why)} |")
            continue
        parsed += 1
        rewritten += counts[0]
        calls += counts[1]
        print(f"| {name} | `{program['path']}` | yes | {counts[0]} of {counts[1]} | {why} |".replace("|  |", "| |"))
print(f"\n{parsed} of {total} files parse; {rewritten} of {calls} allocation calls are rewritten")
