# Every task of the project from one place. `make run` and `make test` do all set-up themselves.
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS := $(shell nproc)
PREFIX = /usr/local
MINUTES = 10
SCENARIO = examples/canadarm/capture.yaml
OUT = out/$(basename $(notdir $(SCENARIO)))

# Debian's cmake, even when another one comes first on PATH. Looked up when used: `deps` may just have installed it.
CMAKE = $(shell test -x /usr/bin/cmake && echo /usr/bin/cmake || echo cmake)
CTEST = $(shell test -x /usr/bin/ctest && echo /usr/bin/ctest || echo ctest)
BUILD = $(CMAKE) --build --preset
GRAPPLE = build/release/src/app/grapple
SOURCES = find src tests bench -name '*.h' -o -name '*.cc'

.PHONY: help run test stress server-load asan asan-unit tsan clang bench bench-peers fuzz validate validate-long format format-check tidy install clean
.PHONY: clang-format deps deps-bench deps-develop configure program viewer viewer-packages pictures bench-viewer

help:
	@echo 'make run            build the program, simulate $(SCENARIO), write its report'
	@echo 'make test           build everything, run all tests'
	@echo 'make stress         random families judged by physics, hostile files, every fault of the disk, 200 kills (two hours at most)'
	@echo 'make server-load    the server of grapple view under a crowd of clients, for a minute'
	@echo 'make viewer         build the browser viewer again from viewer/src (needs Node.js 20)'
	@echo 'make pictures       take the pictures of the documentation again (needs Chromium and Node.js)'
	@echo 'make validate       compare with closed forms and published problems'
	@echo 'make validate-long  the same, with the cases that take minutes'
	@echo 'make asan           the tests under the address and undefined-behaviour sanitizers'
	@echo 'make asan-unit      the tests of single modules under them'
	@echo 'make tsan           the tests of the viewer and its server under the thread sanitizer'
	@echo 'make clang          build the library and the program with clang'
	@echo 'make bench          all benches: ns per aba, rnea, crba, contact; derivatives, loops, rows, a heap of balls, two arms'
	@echo 'make bench-viewer   size of a report, time to open it, cost of watching a live run'
	@echo 'make bench-peers    the same trees in Simbody, Bullet and MuJoCo; the same contacts, also in ODE'
	@echo 'make fuzz           fuzz every reader of files and requests for MINUTES=$(MINUTES)'
	@echo 'make format         clang-format in place; make format-check only reports'
	@echo 'make tidy           clang-tidy'
	@echo 'make install        library and program to PREFIX=$(PREFIX)'
	@echo 'make clean          remove build/ and out/'
	@echo 'Variables: JOBS=$(JOBS), SCENARIO=, OUT='

run: program
	$(GRAPPLE) run $(SCENARIO) --out $(OUT)
	$(GRAPPLE) report $(OUT)

test: configure viewer-packages
	$(BUILD) release --parallel $(JOBS)
	$(CTEST) --preset release -j2

stress: configure
	$(BUILD) release --parallel $(JOBS) --target stress_test program_test
	GRAPPLE_STRESS=full build/release/tests/stress_test
	GRAPPLE_STRESS=full build/release/tests/program_test --gtest_filter='DocumentedCodes.*:Hostile*:Faults.*:*Killed*'

server-load: configure
	$(BUILD) release --parallel $(JOBS) --target server_load_test
	GRAPPLE_SERVER_LOAD=full build/release/tests/server_load_test

# What the browser tests need. Without it they are skipped, and say so.
viewer-packages:
	@tools/install-deps viewer || echo 'make: without Chromium and Node.js the browser tests are skipped'
	@cd viewer/test && if command -v npm >/dev/null 2>&1 && ! cmp -s package-lock.json node_modules/.installed; then \
	  (npm ci --silent --no-audit --no-fund && cp package-lock.json node_modules/.installed) || \
	  echo 'make: npm could not install the packages of viewer/test; the browser tests are skipped'; fi

# Not `npm ci`: the bundler has one optional package per platform, and the lock file holds only those of this one.
viewer:
	tools/install-deps viewer
	cd viewer && npm install --no-save --silent --no-audit --no-fund
	node viewer/build.mjs

bench-viewer: program viewer-packages
	node viewer/bench.mjs $(CURDIR)/$(GRAPPLE)

pictures: program viewer-packages
	node viewer/pictures.mjs $(CURDIR)/$(GRAPPLE)

validate: program
	$(GRAPPLE) validate

validate-long: program
	$(GRAPPLE) validate --long

asan: deps
	$(CMAKE) --preset asan
	$(BUILD) asan --parallel $(JOBS)
	$(CTEST) --preset asan -j2

# The tests of single modules, without those of the whole program: what CI has time for.
UNIT_MODULES = base spatial flexible geometry model dynamics constraint contact control fem orbit system analysis integrate record scenario view
asan-unit: deps
	$(CMAKE) --preset asan
	$(BUILD) asan --parallel $(JOBS) --target $(UNIT_MODULES:%=%_test)
	$(CTEST) --preset asan -j2 -R '^($(shell echo $(UNIT_MODULES) | tr ' ' '|'))\.'

# The library as another compiler sees it.
clang: deps-develop
	$(CMAKE) -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
	  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DGRAPPLE_BUILD_TESTS=OFF -DGRAPPLE_WERROR=OFF # gcc's warnings are not all clang's
	$(CMAKE) --build build/clang --parallel $(JOBS)

# Without randomised addresses, which the sanitizer of gcc 12 cannot place on new kernels.
tsan: deps
	$(CMAKE) --preset tsan
	$(BUILD) tsan --parallel $(JOBS) --target view_test
	setarch --addr-no-randomize build/tsan/tests/view_test

BENCHES = kernels methods modules parallel derivatives loops blocks contact recording crowd two_arms
bench: deps
	$(CMAKE) -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DGRAPPLE_BUILD_TESTS=OFF -DGRAPPLE_BUILD_BENCH=ON
	$(CMAKE) --build build/bench --parallel $(JOBS) --target $(BENCHES:%=bench_%)
	@for bench in $(BENCHES); do echo "== bench_$$bench" && build/bench/bench/bench_$$bench || exit 1; done

bench-peers: deps-bench
	$(CMAKE) -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DGRAPPLE_BUILD_TESTS=OFF -DGRAPPLE_BUILD_PEERS=ON
	$(CMAKE) --build build/bench --parallel $(JOBS) --target bench_peers bench_mechanism_peers bench_contact_peers
	build/bench/bench/peers/bench_peers
	build/bench/bench/mechanism_peers/bench_mechanism_peers
	build/bench/bench/contact_peers/bench_contact_peers

fuzz: deps-develop
	@test -x tests/fuzz/run || { echo 'make fuzz: tests/fuzz/run is missing from this checkout' >&2; exit 1; }
	tests/fuzz/run $(MINUTES)

clang-format:
	@command -v clang-format >/dev/null 2>&1 || tools/install-deps develop

format: clang-format
	$(SOURCES) | xargs clang-format -i

format-check: clang-format
	$(SOURCES) | xargs clang-format --dry-run --Werror

# Its own tree, file by file: clang cannot read gcc's precompiled headers and does not know all of gcc's warnings.
tidy: deps-develop
	$(CMAKE) -S . -B build/tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DGRAPPLE_WERROR=OFF -DGRAPPLE_BATCHES=OFF
	find src -name '*.cc' | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/tidy

install: configure
	$(BUILD) release --parallel $(JOBS) --target grapple_installed
	$(CMAKE) --install build/release --prefix $(PREFIX)

clean:
	rm -rf build out

deps:
	tools/install-deps

deps-bench:
	tools/install-deps bench

deps-develop:
	tools/install-deps develop

configure: deps
	$(CMAKE) --preset release

program: configure
	$(BUILD) release --parallel $(JOBS) --target grapple
