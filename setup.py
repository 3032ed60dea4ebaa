# SPDX-License-Identifier: Apache-2.0
"""Builds the package for Python with CMake: pip install --no-build-isolation .

The environment may name COPSE_BUILD, a build folder that is kept. It may be one that CMake has configured before
with COPSE_PYTHON, also of another copy of these sources: then only what is missing is built. CMAKE_ARGS has further
options for a new one.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(copse VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCOPSE_UNITY=25", "-DCOPSE_PYTHON=ON", "-DCOPSE_TESTS=OFF",
           "-DCOPSE_BENCH=OFF", "-DCOPSE_SHARED=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]


class CMakeBuild(build_ext):
    """Builds the one module of the package."""

    def build_extension(self, ext):
        build = pathlib.Path(os.environ.get("COPSE_BUILD") or self.build_temp).resolve()
        out = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        if not (build / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *OPTIONS,
                            *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "copse_python"], check=True)
        module = build / "python/copse" / out.name
        if not module.exists():
            raise SystemExit(f"{build} builds the package for another Python: there is no {out.name}")
        out.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(module), str(out))


setup(version=VERSION, ext_modules=[Extension("copse._copse", [])], cmdclass={"build_ext": CMakeBuild})
