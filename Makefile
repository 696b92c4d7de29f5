# What you can do here. The work is in scripts/; a line with ## shows in `make help`.

.DEFAULT_GOAL := help
.PHONY: help build run test test-short lint fuzz bench generate console console-types showcase gallery clean

help: ## list what you can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

build: ## build bin/atelier, optimised
	@scripts/need-go
	@echo "Compiling bin/atelier. The first time this takes a minute or two, later a few seconds."
	@CGO_ENABLED=0 go build -buildvcs=auto -o bin/atelier ./cmd/atelier

# A newcomer's first build compiles everything, the Go library included. Without
# inlining, and without optimising other people's packages, it takes a third less:
# under a minute on two cores. What it serves is somewhat slower; only what paints
# and plays is compiled in full.
QUICK := -ldflags='-s -w' -gcflags='all=-l' -gcflags='modernc.org/...=-N -l' -gcflags='zombiezen.com/...=-N -l' \
	-gcflags='google.golang.org/...=-N -l' -gcflags='github.com/...=-N -l' \
	-gcflags='github.com/atelier-project/...=-l' -gcflags='github.com/atelier-project/atelier/internal/codec/...=' \
	-gcflags='github.com/atelier-project/atelier/internal/studio/...='

run: ## build quickly and serve; ARGS="--listen :9000" adds flags
	@scripts/need-go
	@echo "Compiling bin/atelier. The first time this takes about a minute, later a few seconds."
	@CGO_ENABLED=0 go build -buildvcs=auto $(QUICK) -o bin/atelier ./cmd/atelier
	@./bin/atelier serve $(ARGS)

test: ## all checks and tests, with the race detector, on SQLite and PostgreSQL
	@scripts/test

test-short: ## quick tests: no race detector, SQLite only
	@env -u ATELIER_TEST_POSTGRES_URL ATELIER_TEST_POSTGRES_SKIP="make test-short is SQLite only" CGO_ENABLED=0 go test -short ./...

lint: ## gofmt, go vet, staticcheck
	@scripts/lint

fuzz: ## every fuzz target for FUZZTIME (20s) each; FUZZ=pattern picks
	@scripts/fuzz

bench: ## every benchmark; BENCH=pattern picks, BENCHTIME (1s) each
	@scripts/bench

generate: ## rewrite generated files
	go generate ./...

console: ## bundle the console's sources into the files that are embedded
	@cd console/build && go run .

console-types: ## check the types of the console's sources; needs npm
	@scripts/console-types

showcase: ## what the CPU renderer makes, to docs/showcase
	go run ./internal/showcase sheets docs/showcase

gallery: ## the files of the sample gallery, made by the CPU renderer
	go run ./internal/showcase gallery internal/catalog/data

clean: ## remove what was built (not atelier-data)
	rm -rf bin
