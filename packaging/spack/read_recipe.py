# SPDX-License-Identifier: Apache-2.0
"""Reads package.py where there is no Spack, with stand-ins for its words; checks what it gives CMake.

usage: read_recipe.py CMAKELISTS

A word that Spack does not have, a variant that is not declared, and an option that CMakeLists.txt does not have are
errors. What Spack would make of it is not checked.
"""
import pathlib
import re
import sys
import types

_DIRECTIVES = ("conflicts", "depends_on", "extends", "generator", "license", "variant", "version")
_BUILT_IN = {"BUILD_TESTING", "Python3_EXECUTABLE"}  # options of CMake's own


class _CMakePackage:
    run_tests = False

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        if variant not in self.variants:
            raise ValueError(f"the variant {variant} is not declared")
        return self.define(name, self.variants[variant])


class _Spec:
    def __init__(self, variants):
        self._variants = variants

    def satisfies(self, text):
        return all(self._variants[name] == (sign == "+") for sign, name in re.findall(r"([+~])(\w+)", text))


def read(path):
    """The class of the recipe, and what its directives were called with."""
    called = {name: [] for name in _DIRECTIVES}
    words = {name: lambda *a, _of=called[name], **k: _of.append((a, k)) for name in _DIRECTIVES}
    words |= {"CMakePackage": _CMakePackage, "python": types.SimpleNamespace(path="python3"), "python_platlib": "lib"}
    text = path.read_text(encoding="utf-8").replace("from spack.package import *\n", "")
    exec(compile(text, str(path), "exec"), words)
    return words["Copse"], called


def main():
    recipe, called = read(pathlib.Path(__file__).with_name("package.py"))
    cmake = "".join(file.read_text(encoding="utf-8") for file in
                    [pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1]).parent / "python/CMakeLists.txt"])
    defaults = {a[0]: k["default"] for a, k in called["variant"]}
    for _, k in called["depends_on"] + called["extends"]:
        for name in re.findall(r"[+~](\w+)", k.get("when", "")):
            assert name in defaults, f"when={k['when']}: there is no such variant"
    for python in (False, True):
        package = recipe()
        package.variants = {**defaults, "python": python}
        package.spec = _Spec(package.variants)
        for argument in package.cmake_args():
            name = argument[2:].partition("=")[0]
            assert name in _BUILT_IN or re.search(rf"\b{name}\b", cmake), f"CMakeLists.txt has no option {name}"


if __name__ == "__main__":
    main()
