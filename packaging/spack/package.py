from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Onefold(CMakePackage):
    """Exact, correctly rounded reductions of arrays: the same bits on every machine, in any order and in any chunks."""

    homepage = "https://onefold.invalid"
    url = "https://onefold.invalid/releases/v0.1.0/onefold-0.1.0.tar.gz"

    license("MIT")

    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("program", default=True, description="Build the program onefold")
    variant("mpi", default=False, description="Build what --mpi needs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("highway@1.0.3:")
    depends_on("tbb")
    depends_on("fast-float", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    with when("+program"):
        depends_on("cli11", type="build")
        depends_on("fmt")
        depends_on("boost+context")
        depends_on("zlib-api")
        depends_on("zstd")
        depends_on("xz")
        depends_on("bzip2")
    depends_on("mpi", when="+mpi")

    requires("platform=linux")
    generator("ninja")

    def cmake_args(self):
        return [
            self.define("ONEFOLD_TESTS", False),
            self.define("ONEFOLD_GOLDEN", True),
            self.define("ONEFOLD_ARROW", False),
            self.define("ONEFOLD_CUB", False),
            self.define_from_variant("ONEFOLD_CLI", "program"),
            self.define_from_variant("ONEFOLD_MPI", "mpi"),
        ]

    def check(self):
        with working_dir(self.build_directory):
            ctest("-LE", "long", "--output-on-failure")
