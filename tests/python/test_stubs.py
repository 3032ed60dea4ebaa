# SPDX-License-Identifier: Apache-2.0
"""The stubs name what the module has, and nothing else."""
import ast
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import copse
from copse import _copse

STUBS = pathlib.Path(os.environ["COPSE_SOURCE_DIR"]) / "python/copse/_copse.pyi"
# What every object has, or a buffer has only from Python 3.12 on.
COMMON = set(dir(object)) | {"__module__", "__buffer__", "__weakref__", "_pybind11_conduit_v1_"}


def names_in(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


class StubsTest(unittest.TestCase):
    def test_names(self):
        tree = ast.parse(STUBS.read_text(encoding="utf-8"))
        classes = {node.name: set(names_in(node.body)) for node in tree.body if isinstance(node, ast.ClassDef)}
        there = {name for name in vars(_copse) if not name.startswith("_")}
        self.assertEqual(there - {"__version__"}, set(names_in(tree.body)) - {"__version__"})
        self.assertTrue(copse.__version__)
        for name, said in classes.items():
            has = {member for member in vars(getattr(_copse, name)) if member not in COMMON}
            self.assertEqual(has - COMMON, said - COMMON, name)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "there is no mypy (Debian: python3-mypy)")
    def test_signatures(self):
        allowed = pathlib.Path(__file__).with_name("stubtest.allowed")
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run([sys.executable, "-m", "mypy.stubtest", "copse._copse", "--concise", "--allowlist",
                                   allowed], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main()
