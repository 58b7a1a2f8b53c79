# The commands of the README. Everything else is CMake: cmake --list-presets.
#
# One tree, build/release, serves program, Python module and tests: nothing is compiled twice.
JOBS ?= $(shell nproc)
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
export JOBS
# Where `make install` puts the program, its plugins and the library.
PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)

.PHONY: demo install lab plugins kernels engines python wheel wheel-aarch64 wheel-free test-wheel packages release test faults test-clang test-asan \
  test-asan-lab test-aarch64 test-musl test-windows test-long bench lab-page docs bench-summary single clean

demo:
	@cmake/build.sh demo
	@cmake/demo.sh build/release/onefold $(PREFIX)

# Builds only if a file that it promises is not there yet, so that root leaves nothing of its own in a user's tree;
# installed.txt, which CMake writes, names them.
install:
	@xargs -a build/release/installed.txt -d '\n' ls -d -- >/dev/null 2>&1 || cmake/build.sh program
	@cmake --install build/release --prefix "$(PREFIX)" >/dev/null
	@echo "installed $(PREFIX)/bin/onefold, and the library for find_package(onefold)"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "it is not in PATH yet: export PATH=$(PREFIX)/bin:\$$PATH" ;; esac

# The program of `onefold lab`.
lab:
	@cmake/build.sh program onefold_program onefold_lab_program
	@build/release/onefold lab

# All that `make install` installs: with the lab, and the plugins for MPI, Parquet and Arrow.
plugins:
	@cmake/build.sh program

# .venv with the package in it.
python:
	@cmake/build.sh python
	@cmake/python-package.sh
	@.venv/bin/python -c "import array, onefold; \
	  print('sum of 1e16, 1, -1e16:', onefold.sum(array.array('d', [1e16, 1, -1e16])))"

# Extensions of engines, of those whose headers are here.
engines:
	@cmake/build.sh engines
	@ls build/release/engines

# A wheel that other machines can install, and the sdist that it is made of.
wheel:
	@cmake/install-packages.sh python
	@cmake/wheel.sh

# That, installed by itself under each Python that is here (PYTHONS="python3.12 python3.13" names them).
test-wheel: wheel
	@cmake/build.sh program
	@PROGRAM=$(CURDIR)/build/release/onefold cmake/test-wheel.sh

# What a release has: sdist and wheel, twice with the same bytes, tried with each Python that is here, and Debian's packages.
packages: wheel
	@cmake/wheel.sh build/dist-again >/dev/null
	@diff -r build/dist build/dist-again
	@NEEDS="numpy pytest" TESTS="$(foreach page,README.md docs/start/tour.md,python/tests/test_documents.py::test_examples[$(page)])" \
	  cmake/test-wheel.sh
	@cmake/install-packages.sh debian
	@cmake/debian.sh

# The folder of a release, build/publish, with what can be built here; PARTS="wheel single" are some of it.
release:
	@cmake/install-packages.sh python
	@python3 -B packaging/release.py $(PARTS)

# All tests that take less than 10 s; or, with ROOM="tables io", those of folders of tests/, or of python.
empty :=
test:
	@cmake/build.sh test $(addprefix room_,$(ROOM))
	@echo "tests: those that take less than 10 s"
	@ctest --test-dir build/release -j $(JOBS) -LE 'long|gpu' --no-tests=error --output-on-failure \
	  $(if $(ROOM),-R '^($(subst $(empty) $(empty),|,$(strip $(ROOM))))/')
	@$(if $(ROOM),,cmake/aarch64-test.sh one)

# Plants 60 faults, one at a time, and counts how many the tests find: up to three minutes each. AREA=core, tables or python has
# 20 of them.
faults:
	@cmake/build.sh test
	@for area in $(or $(AREA),core tables python); do build/venv/bin/python tests/faults/faults.py $$area; done

# The library and the program by the other compiler.
test-clang:
	@cmake/install-packages.sh clang
	@cmake --preset clang $(LAUNCHER) >/dev/null
	@cmake --build build/clang -j $(JOBS)
	@ctest --test-dir build/clang -j $(JOBS) -LE long --no-tests=error --output-on-failure

# A selection of tests that address and undefined behaviour are watched in.
test-asan:
	@cmake/install-packages.sh test
	@cmake --preset asan $(LAUNCHER) -DONEFOLD_CLI=OFF >/dev/null
	@cmake --build build/asan -j $(JOBS) --target onefold_selected_tests
	@build/asan/tests/onefold_selected_tests --gtest_brief=1

# The same of the lab: every rung, the machine of PTX, the puzzles. It takes the library of
# `make test`; ten minutes of one core to compile and one to run. Leaks are no matter: a thread of
# the simulated machine that is ended leaves what its frames hold.
test-asan-lab:
	@cmake/build.sh test onefold_sanitized_lab_tests
	@ASAN_OPTIONS=detect_leaks=0 build/release/tests/onefold_sanitized_lab_tests --gtest_brief=1

# What reduces arrays, for 64-bit Arm by a cross compiler; its answers are compared under qemu-user.
test-aarch64:
	@cmake/aarch64-test.sh all

# The library and a static program for musl's libc, by zig from PyPI; TARGET=aarch64-linux-musl is tried under qemu-user.
test-musl:
	@cmake/install-packages.sh program
	@cmake/musl-test.sh $(TARGET)

# The one-file header for Windows by MinGW-w64, under Wine; with LIBRARY=1 folds of arrays, too (seven minutes of one core).
test-windows:
	@cmake/windows-test.sh

# The wheel for 64-bit Arm, and the README's examples with it under qemu-user.
wheel-aarch64:
	@cmake/install-packages.sh aarch64
	@cmake/aarch64-wheel.sh

# The wheel for a PYTHON without a GIL, such as python3.14t, tried there by 8 threads of one process.
wheel-free:
	@cmake/install-packages.sh python
	@cmake/free-threaded-wheel.sh $(PYTHON)

# Kernels for CHIP, such as sm_90, or the device that is here, beside the program.
kernels:
	@cmake/build.sh program -DONEFOLD_CHIPS=$(CHIP)
	@cmake --build build/release --target onefold_kernels

test-long:
	@cmake/build.sh long
	@ctest --test-dir build/release -j $(JOBS) -L long --no-tests=error --output-on-failure
	@$(MAKE) --no-print-directory test-aarch64
	@ctest --test-dir build/aarch64 -j $(JOBS) -L long --no-tests=error --output-on-failure
	@$(MAKE) --no-print-directory test-musl

# The lab as one page that needs no server, build/release/lab.html: by em++, and with kernels as NVRTC compiles them.
lab-page:
	@cmake/install-packages.sh page
	@cmake/build.sh program onefold_lab_page
	@ls -l build/release/lab.html

# The documentation as a site that needs no server, build/docs/site/index.html.
docs:
	@cmake/build.sh python onefold_python onefold_program
	@cmake/venv.sh docs
	@PYTHONPATH=build/release/python build/venv/bin/python -B docs/site/make.py build/release/onefold build/docs

bench:
	@cmake/install-packages.sh bench
	@cmake --preset bench $(LAUNCHER) >/dev/null
	@cmake --build build/bench -j $(JOBS)

# The tables of README, docs/performance.md and docs/choosing.md, and the picture, from bench/results.
bench-summary:
	@python3 -B bench/summary.py

# single/onefold_exact.hpp, of the headers that exact sums are made of.
single:
	@python3 -B cmake/single.py

clean:
	@rm -rf build .venv
