# SPDX-License-Identifier: Apache-2.0
"""What type checkers see of the package."""

import ast
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import rhizome
from rhizome import _core

FOLDER = pathlib.Path(rhizome.__file__).parent
STUB = FOLDER / "_core.pyi"


@pytest.mark.skipif(not STUB.exists(), reason="the target rhizome_python_stub is not built")
def test_the_stub_names_what_the_compiled_module_has():
    assert (FOLDER / "py.typed").exists()
    tree = ast.parse(STUB.read_text())
    stated = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    stated.update({node.target.id: node for node in tree.body if isinstance(node, ast.AnnAssign)})
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert set(stated) == public
    for name, node in stated.items():
        if isinstance(node, ast.ClassDef):
            members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            assert members >= {each for each in vars(getattr(_core, name)) if not each.startswith("_")}


def functions_of(module):
    for name in module.__all__:
        each = getattr(module, name)
        if not inspect.isclass(each):
            yield name, each
        elif each.__module__.startswith("rhizome.") and each.__module__ != "rhizome._core":
            for of_class, member in vars(each).items():
                member = getattr(member, "fget", getattr(member, "__func__", member))
                # Those of a NamedTuple are generated.
                if inspect.isfunction(member) and (not of_class.startswith("_") or of_class == "__init__"):
                    yield f"{name}.{of_class}", member


@pytest.mark.parametrize("module", ["rhizome", "rhizome.networkx"])
def test_all_that_is_public_is_annotated(module):
    __import__(module)
    found = dict(functions_of(sys.modules[module]))
    assert len(found) > 15
    for name, function in found.items():
        signature = inspect.signature(function)
        if not name.endswith("__init__"):
            assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in list(signature.parameters.values())[1 if "." in name else 0 :]:
            assert parameter.annotation is not inspect.Parameter.empty, f"{name}: {parameter}"


@pytest.mark.skipif(not STUB.exists(), reason="the target rhizome_python_stub is not built")
def test_mypy_accepts_the_package_and_a_program_that_uses_it(tmp_path):
    pytest.importorskip("mypy")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if FOLDER.parent.name != "site-packages":  # mypy keeps the errors of an installed package to itself
        environment["MYPYPATH"] = str(FOLDER.parent)
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "--ignore-missing-imports", "--warn-unused-ignores",
         pathlib.Path(__file__).with_name("typed_use.py")],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
