# Hearth's commands. Each installs the Debian packages it misses by itself where it may (as root, or with sudo).

SWIFT_VERSION := 6.3
# Stripped: symbols are half of the program. A crash's backtrace then names the functions that are exported, and addresses.
RELEASE := -c release -Xswiftc -cross-module-optimization -Xlinker -s
# Tests that compute for long: the targets that they are in, and a folder of its own, for the release program is built
# otherwise.
RANDOM_TESTS := HearthClusterTests HearthDatabaseTests HearthEngineTests HearthExposureTests HearthRulesTests HearthSyncTests HearthTreeTests
OPTIMISED := -c release -Xswiftc -enable-testing --scratch-path .build/optimised
# What `make test` compiles: a debug build's code, with its assertions and the argument parser's checks of commands, but each
# module as a whole, without debug information, and with an index of the tests alone. It takes less processor time than a
# debug build. In a folder of its own, so that `swift build` keeps what it has.
TESTED := -c release -Xswiftc -Onone -Xswiftc -DDEBUG -Xswiftc -enable-testing -Xcc -O0 -debug-info-format none --scratch-path .build/tests
PYTHON := .venv/bin/python
SITE := .build/site/bin/python Sources/Guide/Site/build_site.py
PORT ?= 9000

# SwiftPM remembers what a manifest came to, by its text and the environment. With this it looks at the folders of Plugins/
# again when there are others.
export HEARTH_PLUGINS := $(sort $(notdir $(wildcard Plugins/*)))

.PHONY: run build build-bench build-tests deb deb-test test bench bench-console bench-import bench-larger samples soak hour crash test-edge torture torture-random torture-clients torture-proofs torture-pages torture-disks torture-events torture-cluster optimised fuzz cluster docs docs-guide docs-reference pictures plugins packages solver test-servers page-tools site-tools web-sdk toolchain clean

## Serve the rules in Rules/ with data in ./data, on loopback.
run: build plugins
	.build/release/hearth serve --data data --rules Rules/starter.json --host 127.0.0.1 --port $(PORT)

## The release binary: .build/release/hearth. Cross-module optimisation is given here and not in Package.swift,
## because unsafe flags in a manifest would forbid others to depend on the package.
build: packages toolchain
	swift build $(RELEASE) --product hearth

## A Debian package, in .build/deb. The program in it has Swift's libraries inside and runs where there is no toolchain.
deb: packages toolchain
	swift build $(RELEASE) --static-swift-stdlib --scratch-path .build/static --product hearth
	@rm -rf .build/deb
	@sh Deploy/deb.sh .build/static/release/hearth .build/deb

## The package, tried in a bare Debian 12 that debootstrap makes. As root.
deb-test: deb
	@sh Deploy/packages.sh debootstrap
	sh Deploy/try-deb.sh .build/deb/hearth_*.deb .build/debian

## All tests: the programs are built, then the acceptance tests drive them with real clients while the Swift suites are
## compiled and run beside them. Suites that drive real sockets and threads run one after the other, for on two cores they
## would wait for each other; those that only compute run beside them.
## The last lines repeat each failure. A test that passes when it runs again does not fail the whole, and is named there.
test: packages solver test-servers page-tools site-tools toolchain .venv/ready web-sdk plugins
	swift build $(TESTED)
	python3 Tests/run.py

## The Swift tests, compiled as `make test` runs them: .build/tests/release/hearthPackageTests.xctest.
build-tests:
	swift build --build-tests $(TESTED)

## The acceptance tests where each server is a node of a cluster that owns nothing: beside each runs another one, over a
## PostgreSQL of the test. What cannot be asked of such a node is skipped, with the reason. EDGE='-k rest' and the like are
## handed on.
test-edge: packages solver test-servers toolchain .venv/ready
	swift build --product hearth
	HEARTH_EDGE=1 $(PYTHON) -m pytest -q -rs $(EDGE) Tests/Acceptance

## The load generator, beside the product: .build/release/hearth-bench.
build-bench: packages toolchain
	swift build $(RELEASE) --product hearth-bench

## A short set of load measurements, one table. See `hearth-bench --help` for longer ones.
bench: build build-bench
	.build/release/hearth-bench --suite short

## Databases larger than the memory for their pages, beside LMDB and RocksDB: see `hearth-bench larger --help`. LARGER='--ratios
## 10 --memory-group /sys/fs/cgroup/memory' and the like are handed on.
bench-larger: build build-bench
	@sh Deploy/packages.sh liblmdb-dev librocksdb-dev
	@mkdir -p .build/stores
	cc -O2 -o .build/stores/lmdb Tests/Tools/StoreBench/lmdb.c -llmdb
	cc -O2 -o .build/stores/rocksdb Tests/Tools/StoreBench/rocksdb.c -lrocksdb
	.build/release/hearth-bench larger --stores .build/stores/lmdb .build/stores/rocksdb $(LARGER)

## What an open console costs the server, beside nobody and beside a plain listener. CONSOLE='--instructions' counts
## instructions instead of time, '--turns 0 --minutes 60' watches the page's memory; see --help.
bench-console: packages toolchain .venv/ready build
	@sh Deploy/packages.sh valgrind || echo "valgrind is missing: --instructions needs it"
	HEARTH=.build/release/hearth PYTHONPATH=Tests/Acceptance $(PYTHON) -m console_cost $(CONSOLE)

## An import of 1 GB of JSON, compressed: its rate, and the processor time and memory of both sides. IMPORT='--megabytes 100' is
## handed on.
bench-import: packages toolchain .venv/ready build
	HEARTH=.build/release/hearth PYTHONPATH=Tests/Acceptance $(PYTHON) -m import_speed $(IMPORT)

## An hour of mixed load on the release server: a table of memory, files, latencies, and a verdict on what grew.
## SOAK='--minutes 10' and the like are handed on.
soak: packages toolchain .venv/ready build
	HEARTH=.build/release/hearth PYTHONPATH=Tests/Acceptance $(PYTHON) -m soak $(SOAK)

## The first hour of a newcomer, step by step, with the time of each: a table. HOUR='--package .build/deb/hearth_*.deb --root
## .build/debian/root' begins with the package in the root that `make deb-test` makes, as root.
hour: packages toolchain build
	HEARTH=.build/release/hearth PYTHONPATH=Tests/Acceptance python3 -m hour $(HOUR)

## The crash test with 50 rounds of kills under load, some seconds to a minute.
crash: packages toolchain .venv/ready build
	HEARTH=.build/release/hearth HEARTH_CRASHES=50 $(PYTHON) -m pytest -q Tests/Acceptance/test_crash.py

## The long runs: the rows below, then 10,000 kills of the release server under load, an hour or more. It may be stopped at
## any moment, and the same command goes on from there; it ends with a table of what was run. The state is in
## .build/torture: without that folder it begins anew. TORTURE='--only "kill -9" --kills 500' and the like are handed on.
torture: packages toolchain solver .venv/ready
	HEARTH=$(or $(HEARTH),.build/release/hearth) PYTHONPATH=Tests/Acceptance $(PYTHON) -m torture $(TORTURE)

## The long forms of random tests: minutes, where the suite takes a sample. Recorded denials replay to the same verdict.
torture-random: optimised
	HEARTH_TESTS="$(RANDOM_TESTS)" HEARTH_TORTURE=1 swift test --skip-build $(OPTIMISED) --no-parallel --filter 'torture|SimulationTests|LargeWriteTests'

## The suites of databases and servers, with page files and no page in memory.
torture-pages: build-tests
	HEARTH_PAGED=1 .build/tests/release/hearthPackageTests.xctest --testing-library swift-testing --no-parallel --filter '^HearthDatabaseTests\.|^HearthServerTests\.'

## The client library, against servers over each of its carriers.
torture-clients:
	swift build --build-tests
	HEARTH_TORTURE=1 swift test --skip-build --no-parallel --filter 'HearthClientTests.*over:|HearthClientLegacyTests.*over:'

## Proofs of what rules allow are held against 20,000 random rule sets, some 70 ms of processor time each, and against z3
## where it is installed. How far they are is said on standard error.
torture-proofs: optimised
	HEARTH_TESTS="$(RANDOM_TESTS)" HEARTH_TORTURE=1 swift test --skip-build $(OPTIMISED) --no-parallel --filter HearthExposureTests

## Files of six public sample apps, compiled unchanged against the modules with the names of Firebase's SDK. They are cloned into
## .build/samples.
samples: packages toolchain
	python3 Tests/Tools/SampleProjects/build.py $(SAMPLES)

## Three nodes, and a PostgreSQL that Patroni keeps on three more machines, each in a network namespace of its own: nodes are
## killed, frozen, restarted and drained, cables are cut, PostgreSQL fails over, 200 times under load; all that clients saw is
## held against the log. As root; nothing leaves the machine, and nothing is left of it. It may be stopped at any moment, and
## the same command goes on; the state is in .build/torture-cluster. FAULTS='--faults 20 --seed 7' and the like are handed on.
torture-cluster: packages toolchain .venv/ready .build/patroni/ready $(if $(HEARTH),,build)
	@sh Deploy/packages.sh postgresql etcd-server nftables iproute2
	HEARTH=$(or $(HEARTH),.build/release/hearth) PYTHONPATH=Tests/Acceptance $(PYTHON) -m faults $(FAULTS)

# Of the system's own Python: PostgreSQL's user runs it.
.build/patroni/ready: Tests/Acceptance/faults/requirements.txt
	/usr/bin/python3 -m venv .build/patroni
	.build/patroni/bin/pip install --quiet --requirement Tests/Acceptance/faults/requirements.txt
	touch $@

optimised:
	HEARTH_TESTS="$(RANDOM_TESTS)" swift build $(OPTIMISED) --product hearthPackageTests

## The whole matrix of disks that are full, fail, tear and lose things, and backups that end at every step.
torture-disks:
	swift build --build-tests
	HEARTH_TORTURE=1 swift test --skip-build --no-parallel --filter 'DiskTests|HearthBackupTests'

## Events are held against the journal over 200 kills of server, receiver and plugin.
torture-events:
	swift build --product hearth
	HEARTH=.build/debug/hearth HEARTH_TRIGGER_KILLS=200 $(PYTHON) -m pytest -q -s Tests/Acceptance/test_trigger_kills.py

## Coverage-guided fuzzers of every parser that meets strangers, a minute each: FUZZ='--seconds 600 --only rules,json' and the
## like are handed on. They start from the corpora in Tests/FuzzTests, which the suite replays; what breaks a parser is added.
fuzz: packages toolchain
	HEARTH_FUZZ="$$(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer_no_main-$$(uname -m).a" swift build -c release --scratch-path .build/fuzzer --product hearth-fuzz
	python3 Tests/FuzzTests/fuzz.py .build/fuzzer/release/hearth-fuzz $(FUZZ)

## A cluster to try, on loopback: a PostgreSQL with two standbys, three servers over it, HAProxy in front. Prints one URL;
## Ctrl-C ends all of it, and what is in .build/cluster is there the next time. CLUSTER='--port 9500' and the like are handed on.
cluster: packages toolchain build
	@sh Deploy/packages.sh postgresql haproxy
	PYTHONPATH=Tests/Acceptance python3 -m cluster $(CLUSTER)

## The guide as a site in .build/docs/VERSION, with the reference of HearthPlugin below it. A link to a page, heading or image
## that does not exist ends the build, and so does a page that requests anything from another host. To look at it:
## python3 -m http.server --bind 127.0.0.1 --directory .build/docs 8000. Where it is not served at the root of a host, give the
## path: SITE_PATH=hearth/. Folders of other versions in .build/docs stay, and are listed beside the new one.
##
## The generator is Sphinx with MyST and the theme of the PyData projects. On Debian's Python all three still got releases in
## 2025 and 2026 and have many maintainers, and the theme has search and colours without requests to other hosts. MkDocs has had
## no release of version 1 since 2024 and is being replaced by an incompatible version 2; Material for MkDocs, which builds on
## it, is in maintenance, and its successor Zensical is at 0.1. DocC makes the reference of Swift modules alone: it has no
## navigation of one's own, and no strict check of links to headings in guides.
docs: docs-reference .build/site/ready
	$(SITE) .build/docs --reference .build/docs-reference

## The same without the reference: no Swift is needed.
docs-guide: .build/site/ready
	$(SITE) .build/docs

docs-reference: packages toolchain .build/site/ready
	rm -rf .build/docs-reference
	HEARTH_DOCS=1 swift package --allow-writing-to-directory .build/docs-reference generate-documentation --target HearthPlugin \
	  --output-path .build/docs-reference --transform-for-static-hosting --warnings-as-errors \
	  --hosting-base-path "$(SITE_PATH)$$($(SITE) --version)/api"

## The pictures of the README and the guides, in Sources/Guide/Images: a real console in Chromium, and a recording of commands.
## PICTURES=terminal makes the recording alone, PICTURES=console the others.
pictures: page-tools .venv/ready $(if $(HEARTH),,build)
	HEARTH=$(or $(HEARTH),.build/release/hearth) PYTHONPATH=Tests/Acceptance $(PYTHON) -m pictures $(PICTURES)

.build/site/ready: Sources/Guide/Site/requirements.txt
	python3 -m venv .build/site
	.build/site/bin/pip install --quiet --requirement Sources/Guide/Site/requirements.txt
	touch $@

## Puts a copy of Plugins/Python/hearth_plugin into every plugin in Python, for folders that are copied or run by hand:
## `hearth plugins add` takes it from there.
plugins:
	@for main in Plugins/*/main.py; do \
	  copy="$${main%main.py}hearth_plugin"; rm -rf "$$copy"; mkdir "$$copy"; cp Plugins/Python/hearth_plugin/*.py "$$copy/"; \
	done

packages:
	@sh Deploy/packages.sh

## A second opinion on proofs, for tests alone. Without it they are skipped.
solver:
	@command -v z3 >/dev/null || sh Deploy/packages.sh z3 || echo "z3 is missing: the tests that ask it are skipped"

## Servers and programs that plugins are tested with, for tests alone. Without them those are skipped.
test-servers:
	@sh Deploy/packages.sh slapd postgresql haproxy nginx caddy jq restic xmlsec1 || echo "slapd, postgresql, haproxy, nginx, caddy, jq, restic or xmlsec1 is missing: the tests with them are skipped"
	@sh Deploy/programs.sh .build/test-programs prometheus prometheus promtool || echo "prometheus is missing: the tests with it are skipped"

## What the console's page is tested with: its compiler, node and a browser.
page-tools:
	@command -v node >/dev/null || sh Deploy/packages.sh nodejs
	@sh Deploy/packages.sh esbuild node-preact node-typescript chromium || echo "chromium or node-typescript is missing: the tests of the console's page fail or are skipped"

## The generator of the site, for the test that builds it.
site-tools:
	@$(MAKE) --quiet .build/site/ready || echo "the generator of the site is missing: the test that builds it is skipped"

## What there is of the web SDK in a Python package, for tests alone. Without it those with the SDK are skipped.
web-sdk: .venv/ready
	@ls .build/web-sdk/*.whl >/dev/null 2>&1 || .venv/bin/pip download --quiet --no-deps --require-hashes --dest .build/web-sdk \
	  --requirement Tests/Acceptance/websdk/requirements.txt || echo "the web SDK is missing: tests with it are skipped"

toolchain:
	@sh Deploy/toolchain.sh $(SWIFT_VERSION)

.venv/ready: Tests/Acceptance/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement Tests/Acceptance/requirements.txt
	touch $@

clean:
	rm -rf .build .venv
