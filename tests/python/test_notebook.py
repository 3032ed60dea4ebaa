# SPDX-License-Identifier: Apache-2.0
"""The cells of the tutorial (docs/library/tutorial.ipynb): they run, and give what stands below them.

usage: test_notebook.py [--write]   --write puts what they give below them
"""
import ast
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(os.environ["COPSE_SOURCE_DIR"])
NOTEBOOK = ROOT / "docs/library/tutorial.ipynb"


def run(source, names):
    """What a cell prints, and then the value of its last line, as a notebook shows them."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def shown(cell):
    return "".join("".join(output["text"]) for output in cell["outputs"])


def results():
    """Yield each cell with code, and what it gives."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names = {}
    os.chdir(ROOT)
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        needed = [module for module in cell["metadata"].get("needs", []) if importlib.util.find_spec(module) is None]
        yield notebook, cell, shown(cell) if needed else run("".join(cell["source"]), names)


class NotebookTest(unittest.TestCase):
    def test_cells(self):
        count = 0
        for _, cell, given in results():
            count += 1
            self.assertEqual(given, shown(cell), "".join(cell["source"]))
        self.assertGreater(count, 8)


def write():
    notebook = None
    for notebook, cell, given in results():
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": given.splitlines(True)}] if given else []
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
