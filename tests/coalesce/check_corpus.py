#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what rhizome-coalesce says of each allocation of a source with the comments behind it.

check_corpus.py TOOL SOURCE [COMPILER ARGUMENTS]. A comment is `// rewritten block`, `// rewritten warp`, `// dynamic` or
`// left: PART OF THE REASON`; the first line of the source is `// options: ...`. A source may consist of several: each
begins with a line `//// case NAME` and then its options. `//// file NAME` begins a file that the case before includes.
A comment `//: TEXT` in a case says that the rewritten source has this text, `//: no TEXT` that it does not have it.

check_corpus.py --keep FOLDER TOOL SOURCE ... leaves the rewritten cases in FOLDER/STEM OF SOURCE, with the files that they include.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# RHIZOME_HEADER_CACHE: a folder that several runs share, for the tool's --header-cache.
header_cache = os.environ.get("RHIZOME_HEADER_CACHE") or tempfile.mkdtemp()
CALL = r"\bcoalesced::\w+_malloc\(|\ballocate_in_\w+\("


def cases_of(path):
    """Yields (name, files): the first file is the source."""
    text = open(path).read()
    if not re.search(r"^//// case ", text, re.M):
        yield os.path.basename(path), [(os.path.abspath(path), text)]
        return
    for part in re.split(r"^//// case ", text, flags=re.M)[1:]:
        name, body = part.split("\n", 1)
        pieces = re.split(r"^//// file (\S+)\n", body, flags=re.M)
        yield name, [(name + os.path.splitext(path)[1], pieces[0])] + list(zip(pieces[1::2], pieces[2::2]))


def check(tool, source, text, arguments, kept):
    lines = text.splitlines()
    options = lines[0].split("options:", 1)[1].split()
    options += ["--header-cache", header_cache]
    run = subprocess.run([tool, *options, source, "--", *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        return 0, [f"{source}: the tool failed\n{run.stderr}"]
    said = {}
    for line in run.stderr.splitlines():
        match = re.match(r"(.*?):(\d+):\d+: (rewritten \((\w+)\)|left alone|dynamic): (.*)", line)
        if match and os.path.basename(match[1]) == os.path.basename(source):
            said.setdefault(int(match[2]), []).append((f"rewritten {match[4]}" if match[4] else match[3].split()[0], match[5]))
    expected = {n: m[1].strip() for n, line in enumerate(lines, 1)
                if (m := re.search(r"//\s*((?:rewritten|left:|dynamic).*)$", line))}
    errors = []
    for number in sorted(said.keys() | expected.keys()):
        want, got = expected.get(number), said.get(number, [])
        if want is None or len(got) != 1:
            errors.append(f"{source}:{number}: expected {want}, the tool says {got}")
        elif not want.startswith("left:"):
            if got[0][0] != want:
                errors.append(f"{source}:{number}: expected {want}, the tool says {got[0]}")
        elif got[0][0] != "left" or want[5:].strip() not in got[0][1]:
            errors.append(f"{source}:{number}: expected {want}, the tool says {got[0]}")

    if kept:
        write_files(kept, [(os.path.basename(source), run.stdout)])

    # What is left alone stays as it was, and what is rewritten does not.
    after = run.stdout.splitlines()
    shift = len(after) - len(lines)
    for number, want in expected.items():
        calls = len(re.findall(CALL, after[number - 1 + shift]))
        if calls != (1 if want.startswith("rewritten") else 0):
            errors.append(f"{source}:{number}: the rewritten text is: {after[number - 1 + shift]}")
    code = "\n".join(re.sub(r"//.*", "", line) for line in after)
    for claim in re.findall(r"//: (.*)", text):
        absent = claim.startswith("no ")
        if (claim.removeprefix("no ") in code) == absent:
            errors.append(f"{source}: expected {claim}; the rewritten source is:\n{run.stdout}")

    # To rewrite a rewritten source changes nothing.
    if not source.endswith(".cpp"):
        folder = tempfile.mkdtemp()
        if not os.path.isabs(source):
            shutil.copytree(".", folder, dirs_exist_ok=True)
        again = os.path.join(folder, os.path.basename(source))
        with open(again, "w") as file:
            file.write(run.stdout)
        second = subprocess.run([tool, *options, again, "--", *arguments], capture_output=True, text=True)
        shutil.rmtree(folder)
        if second.returncode != 0 or second.stdout != run.stdout:
            errors.append(f"{source}: rewriting it again changes it:\n{second.stderr}{second.stdout}")
    return len(expected), errors


def write_files(folder, files):
    for name, text in files:
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def main():
    kept = None
    if sys.argv[1] == "--keep":
        kept = os.path.abspath(sys.argv[2])
        del sys.argv[1:3]
    tool, path, arguments = os.path.abspath(sys.argv[1]), sys.argv[2], [os.path.abspath(a) if not a.startswith("-") else a for a in sys.argv[3:]]
    if kept:
        kept = os.path.join(kept, os.path.splitext(os.path.basename(path))[0])
        os.makedirs(kept, exist_ok=True)
    count, errors = 0, []
    for name, files in cases_of(path):
        source, text = files[0]
        if os.path.isabs(source):
            calls, wrong = check(tool, source, text, arguments, kept)
        else:
            with tempfile.TemporaryDirectory() as folder:
                write_files(folder, files)
                os.chdir(folder)
                calls, wrong = check(tool, source, text, arguments, kept)
                if kept:
                    write_files(kept, files[1:])
                os.chdir("/")
        count += calls
        errors += wrong
    print("\n".join(errors))
    print(f"{count} allocation calls, {len(errors)} errors")
    return 1 if errors or not count else 0


if __name__ == "__main__":
    sys.exit(main())
