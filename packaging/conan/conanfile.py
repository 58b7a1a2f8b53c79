"""Conan 2: the libraries for C++20 and C. The program is in packages of systems."""

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rm, rmdir


class Onefold(ConanFile):
    name = "onefold"
    version = "0.1.0"
    description = "Exact, correctly rounded reductions of arrays"
    license = "MIT"
    url = homepage = "https://onefold.invalid"
    topics = ("reproducible", "summation", "reductions", "cuda")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("Onefold is for Linux on x86-64 and 64-bit Arm")
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]", transitive_libs=True)
        self.requires("onetbb/[>=2021.8 <2023]", transitive_libs=True)
        self.requires("fast_float/[>=3.9 <9]")
        self.requires("nlohmann_json/[>=3.11 <4]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def layout(self):
        cmake_layout(self)

    def source(self):
        get(self, f"https://onefold.invalid/releases/v{self.version}/onefold-{self.version}.tar.gz", sha256="0" * 64,
            strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "CLI", "MPI", "ARROW"):
            toolchain.cache_variables[f"ONEFOLD_{name}"] = False
        toolchain.cache_variables["ONEFOLD_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        # find_library would take the shared library, which is for C alone; the static one has what it has.
        rm(self, "libonefold.so*", f"{self.package_folder}/lib")
        for name in ("share", "lib/cmake", "lib/pkgconfig"):
            rmdir(self, f"{self.package_folder}/{name}")
        for name in ("LICENSE", "NOTICES"):
            copy(self, name, self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "onefold")
        self.cpp_info.set_property("cmake_target_name", "onefold::onefold")
        self.cpp_info.libs = ["onefold"]
        self.cpp_info.system_libs = ["dl", "pthread", "m"]
