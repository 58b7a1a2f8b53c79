# The commands of the README. Everything else is CMake: cmake --list-presets.
JOBS ?= $(shell nproc)
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

.PHONY: demo test test-long bench install-packages clean

demo: build/release/onefold
	@cmake/demo.sh build/release/onefold

test: install-packages
	@cmake --preset test $(LAUNCHER) >/dev/null
	@cmake --build build/test -j $(JOBS)
	@ctest --test-dir build/test -j $(JOBS) -LE 'long|gpu' --no-tests=error --output-on-failure

test-long: install-packages
	@cmake --preset test $(LAUNCHER) >/dev/null
	@cmake --build build/test -j $(JOBS)
	@ctest --test-dir build/test -j $(JOBS) -L long --no-tests=error --output-on-failure

bench: install-packages
	@cmake --preset bench $(LAUNCHER) >/dev/null
	@cmake --build build/bench -j $(JOBS)

.PHONY: build/release/onefold
build/release/onefold: install-packages
	@cmake --preset release $(LAUNCHER) >/dev/null
	@cmake --build build/release -j $(JOBS)

install-packages:
	@cmake/install-packages.sh

clean:
	@rm -rf build
