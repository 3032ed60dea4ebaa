# SPDX-License-Identifier: Apache-2.0
from spack.package import *


class Copse(CMakePackage):
    """An engine for hierarchical HPC resources: matches requests of Flux and Slurm with cores, GPUs, licences and
    power, now or at the earliest time, and says why a request gets nothing."""

    # Spack builds a copy of the sources: spack dev-build copse@main, or `version(..., url=...)` of a release.
    homepage = "file:README.md"
    license("Apache-2.0")

    version("main", branch="main", get_full_repo=True)

    variant("shared", default=True, description="The libraries for programs in C")
    variant("python", default=False, description="The package for Python")
    variant("flux", default=False, description="The scheduler of a Flux instance")
    variant("toml", default=True, description="Configurations of Flux and of queues")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74:")
    depends_on("cli11")
    depends_on("fmt@9:")
    depends_on("hwloc@2.5:")
    depends_on("libedit")
    depends_on("libyaml")
    depends_on("pugixml")
    depends_on("simdjson@3:")
    depends_on("openssl@3:")
    depends_on("sqlite@3.37:")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("tomlplusplus", when="+toml")
    depends_on("python@3.9:", type=("build", "link", "run"), when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    depends_on("flux-core@0.78:", when="+flux")
    depends_on("jansson", when="+flux")

    generator("ninja")
    extends("python", when="+python")
    conflicts("%gcc@:11", msg="Copse is C++23 and needs std::expected")
    conflicts("%clang@:15", msg="Copse is C++23 and needs std::expected")

    def cmake_args(self):
        args = [
            self.define_from_variant("COPSE_SHARED", "shared"),
            self.define_from_variant("COPSE_PYTHON", "python"),
            self.define_from_variant("COPSE_FLUX", "flux"),
            self.define("COPSE_UNITY", "25"),
            self.define("COPSE_WERROR", False),
            self.define("COPSE_TESTS", self.run_tests),
            self.define("COPSE_BENCH", False),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("Python3_EXECUTABLE", python.path))
            args.append(self.define("COPSE_PYTHON_DIR", python_platlib))
        return args
