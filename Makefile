# Windhover: `make help` lists what there is to make.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
OUT ?= out
# Building and testing in one folder would rebuild each other's products.
BUILD := .build
TEST_BUILD := .build-test
INSTALL_BUILD := .build-install
BIN := $(BUILD)/release
PROGRAMS := windhover-train windhover-evaluate windhover-detect windhover-data windhover-experiment
SOURCES := Sources Tests Package.swift Benchmarks/Package.swift Benchmarks/Sources

# The packages that pkg-config must know, and Debian's packages that bring them.
LIBRARIES := expat openblas libpng libturbojpeg cairo
PACKAGES := libexpat1-dev libopenblas-dev libpng-dev libturbojpeg0-dev libcairo2-dev pkg-config

# The instructions to build for: `baseline` runs on any processor of the architecture, `x86-64-v3` needs AVX2 and computes the same
# numbers up to twice as fast. By itself what this machine has; in a package (DESTDIR) baseline, since it runs on other machines.
ifndef CPU
ifdef DESTDIR
CPU := baseline
else
CPU := $(shell Benchmarks/processor-level)
endif
endif
ifneq ($(CPU),baseline)
INSTRUCTIONS := -Xcc -march=$(CPU) -Xswiftc -Xcc -Xswiftc -march=$(CPU)
endif

.PHONY: help setup build test quickstart lint format bench datasets experiment results docs install install-files test-install uninstall clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the system packages that are missing (Debian, Ubuntu; sudo only when needed)
	@command -v swift >/dev/null || { echo "Swift 6 is not installed: see https://www.swift.org/install/linux/" >&2; exit 1; }
	@if command -v pkg-config >/dev/null && pkg-config --exists $(LIBRARIES); then exit 0; fi; \
	command -v apt-get >/dev/null || { echo "Install the development packages of $(LIBRARIES), and pkg-config." >&2; exit 1; }; \
	as_root=; if [ "$$(id -u)" != 0 ]; then as_root=sudo; fi; \
	echo "Installing $(PACKAGES)"; \
	$$as_root apt-get update -qq && $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGES)

build: setup ## Build the programs, optimised, into .build/release
	swift build -c release $(INSTRUCTIONS) --scratch-path $(BUILD)

test: setup ## Build and run all tests, optimised (data-set tests run when DATASETS_DIR is set)
	swift test -c release $(INSTRUCTIONS) --scratch-path $(TEST_BUILD) --parallel

quickstart: build ## Train a face detector on small public sets, evaluate it, and show the report
	$(BIN)/windhover-experiment quickstart --output $(OUT)/quickstart

lint: ## Check the format of all Swift sources
	swift format lint --strict -r $(SOURCES)

format: ## Format all Swift sources in place
	swift format -i -r $(SOURCES)

bench: build ## Measure speed; peers that are installed are measured in the same run
	swift build -c release $(INSTRUCTIONS) --package-path Benchmarks --scratch-path .build-bench
	-$(BIN)/windhover-data fetch dlib-faces
	Benchmarks/run --built-for $(CPU) --binaries .build-bench/release --output $(OUT)/benchmarks

datasets: build ## Fetch the small public sets into the cache
	$(BIN)/windhover-data fetch dlib-faces opencv-faces

experiment: ## Run one experiment: make experiment NAME=persons/hog
	@test -n "$(NAME)" || { echo "NAME is missing: make experiment NAME=persons/hog; there are:"; cd Experiments && ls -d */*/; exit 2; }
	@$(MAKE) build
	$(BIN)/windhover-experiment run Experiments/$(NAME) --output $(OUT)/experiments/$(NAME)

results: build ## Write Experiments/RESULTS.md from the recorded results
	$(BIN)/windhover-experiment table Experiments --output Experiments/RESULTS.md

docs: setup ## Write the reference documentation to docs/
	swift package $(INSTRUCTIONS) dump-symbol-graph --scratch-path $(BUILD) --minimum-access-level public
	docc=$$(dirname "$$(readlink -f "$$(command -v swift)")")/docc; \
	"$$docc" convert --fallback-display-name Windhover --fallback-bundle-identifier windhover \
	  --additional-symbol-graph-dir "$$(ls -d $(BUILD)/*/symbolgraph | head -n 1)" --output-path docs
	@echo "Written: docs/ (serve it with: python3 -m http.server -d docs, then open /documentation/)"

install: setup ## Install programs, models and manifests: make install PREFIX=/usr/local
	swift build -c release $(INSTRUCTIONS) --static-swift-stdlib --scratch-path $(INSTALL_BUILD)
	@$(MAKE) install-files

# The copying half of install, from any build folder.
install-files:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/windhover"
	for program in $(PROGRAMS); do install -s -m 755 $(INSTALL_BUILD)/release/$$program "$(DESTDIR)$(PREFIX)/bin/"; done
	for part in models Datasets Experiments; do rm -rf "$(DESTDIR)$(PREFIX)/share/windhover/$$part"; done
	install -d "$(DESTDIR)$(PREFIX)/share/windhover/Experiments"
	cp -R Sources/Windhover/Models "$(DESTDIR)$(PREFIX)/share/windhover/models"
	cp -R Datasets "$(DESTDIR)$(PREFIX)/share/windhover/Datasets"
	cp -R Experiments/quickstart "$(DESTDIR)$(PREFIX)/share/windhover/Experiments/quickstart"

test-install: build ## Install the built programs twice below a temporary folder, check what is there, and uninstall
	Tests/install-test $(BUILD)

uninstall: ## Remove what install has put under PREFIX
	for program in $(PROGRAMS); do rm -f "$(DESTDIR)$(PREFIX)/bin/$$program"; done
	rm -rf "$(DESTDIR)$(PREFIX)/share/windhover"

clean: ## Remove everything that was built
	rm -rf $(BUILD) $(TEST_BUILD) $(INSTALL_BUILD) .build-bench $(OUT) docs
