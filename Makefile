# What you can do here. The work is in scripts/; a line with ## shows in `make help`.

.DEFAULT_GOAL := help
.PHONY: help build run test check test-cluster soak release-check monitoring-check lint fuzz simulation bench generate console console-types console-format site showcase gallery clean

# Everything but what is deployed or measured is compiled with the same flags, so that make run, make test and
# make check share what was compiled. A first build takes a third less without inlining, without tables for a
# debugger, and with compilers that collect garbage only near two gigabytes. Without the pass that proves checks of
# bounds needless, another twentieth. What paints and plays is compiled in full. So is SQLite but for that pass, which
# gains nothing there: without inlining, even in its libc alone, it runs at two thirds of its speed or less. The Go
# library keeps its own flags: most machines have compiled it before.
hosts := github.com go.opentelemetry.io go.yaml.in golang.org gopkg.in zombiezen.com
unproven := -d=ssa/prove/off
full := $(addprefix github.com/atelier-project/atelier/internal/,kit/studio kit/codec codec)
run test check test-cluster soak monitoring-check lint fuzz simulation generate console showcase gallery: export GOFLAGS := $(shell go env GOFLAGS 2>/dev/null) \
	'-ldflags=-s -w' '-toolexec=env GOGC=off GOMEMLIMIT=2GiB' \
	$(foreach host,$(hosts),'-gcflags=$(host)/...=-l -dwarf=false $(unproven)') \
	'-gcflags=modernc.org/...=-dwarf=false $(unproven)' $(foreach p,$(full),'-gcflags=$(p)/...=-dwarf=false')

help: ## list what you can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

build: ## build bin/atelier to deploy it, optimised
	@scripts/need-go
	@echo "Compiling bin/atelier. The first time this takes a minute or two, later a few seconds."
	@CGO_ENABLED=0 go build -buildvcs=auto -o bin/atelier ./cmd/atelier

run: ## build quickly and serve; ARGS="--listen :9000" adds flags
	@scripts/need-go
	@echo "Compiling bin/atelier. The first time this takes a minute or two, later a few seconds."
	@CGO_ENABLED=0 go build -buildvcs=auto -o bin/atelier ./cmd/atelier
	@./bin/atelier serve $(ARGS)

test: ## the tests for every change, in minutes
	@scripts/test

check: ## every other check and test: race detector, all databases, browser, SDKs, lint
	@scripts/check

test-cluster: ## many nodes for real, and every fault; RUN=pattern picks, TIMES repeats, ATELIER_TEST_SEED
	@scripts/test-cluster

soak: ## half an hour of mixed work on three nodes: nothing is lost, and no node grows; SOAK=2h, ATELIER_TEST_SEED
	@RUN=TestSoak ATELIER_TEST_SOAK=$${SOAK:-30m} scripts/test-cluster

release-check: ## try a release without publishing it: packages, image, Helm chart, Compose files
	@scripts/release-check

monitoring-check: ## make the fault of every alert, and wait for a real Prometheus to say so; needs root
	@scripts/monitoring-check

lint: ## gofmt, go vet, staticcheck
	@scripts/lint

fuzz: ## every fuzz target for FUZZTIME (20s) each; FUZZ=pattern picks
	@scripts/fuzz

simulation: ## play SEEDS (10000) games with the engines, from seed FIRST_SEED (1) on
	@scripts/simulation

bench: ## every benchmark; BENCH=pattern picks, BENCHTIME (1s) each
	@scripts/bench

generate: ## rewrite generated files
	go generate ./...

console: ## bundle the console's sources into the files that are embedded
	@cd console/build && go run .

console-types: ## check the types and the format of the console's sources, and test its modules; needs npm
	@scripts/console-types

console-format: ## format the console's sources; needs npm
	@scripts/console-format

site: ## the documentation as a site, into site/dist; needs npm
	@scripts/site

showcase: ## what the CPU renderer makes, to docs/showcase
	go run ./internal/kit/showcase sheets docs/showcase

gallery: ## the files of the sample gallery, made by the CPU renderer
	go run ./internal/kit/showcase gallery internal/catalog/data

clean: ## remove what was built (not atelier-data)
	rm -rf bin site/dist
