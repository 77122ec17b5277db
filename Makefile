# Everything that one does with this repository. CI runs the same targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -X example.com/hub/pkg/version.version=$(VERSION)

# The modules of go.work; test, which holds Hub to its word from outside; and the pins of tools. Those outside
# go.work stand alone so that their dependencies raise nobody's versions.
MODULES := proto pkg web $(patsubst %/go.mod,%,$(wildcard services/*/go.mod)) contract $(wildcard clients/*)
SERVICES := $(patsubst %,./%,$(wildcard services/*/cmd/*))
BINARIES := $(SERVICES) ./clients/hubctl
TOOLS := $(patsubst %/go.mod,%,$(wildcard tools/*/go.mod))

# What is hot in the benchmark, by which the compiler inlines. The binaries share one profile, so that what they have
# in common is compiled once (docs/adr/0049-one-profile.md).
PROFILE := $(CURDIR)/services/default.pgo

# SQLite is C that was translated to Go. Watched by the race detector it takes most of the time of the tests, and
# has no data race to find: it works on memory that the detector does not know. Hub's use of it stays watched.
NO_RACE_IN_SQLITE := -gcflags=modernc.org/...=-race=false

# The benchmarks of hot functions, which have a baseline beside them: NAME/case/against=WHAT/impl=hub.
HOT := ^Benchmark(Page|Envelope|Decode|Frame|Resume|Verify|Session|Invoke)$$
HOT_PACKAGES := ./services/edge/internal/rest ./services/edge/internal/sse ./services/edge/internal/ring ./services/edge/internal/session ./pkg/auth/token ./pkg/grpcserver

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build every binary into bin/
	@go build -pgo $(PROFILE) -ldflags '$(LDFLAGS)' -o bin/ $(BINARIES)

.PHONY: run
run: ## Start the whole of Hub on 127.0.0.1:8080 (REST, SSE) and 127.0.0.1:9090 (gRPC), data in ./data
	@go build -ldflags '$(LDFLAGS)' -o bin/hub ./services/allinone/cmd/hub
	@exec bin/hub

.PHONY: up
up: build bin/up ## Start the distributed shape: PostgreSQL, Redis, two replicas of each service, data in ./data/up
	@tools/deps.sh
	@exec bin/up

.PHONY: test
test: bin/withdeps bin/versitygw ## Run all tests with the race detector, beside a real PostgreSQL and Redis
	@tools/deps.sh
	@$(MAKE) -s -j 2 test-inside test-outside

# The two halves of test. What one waits for leaves the machine to the other, and so do cases that wait inside one
# package. The processes of the half outside have deadlines, so they go first, one package at a time.
.PHONY: test-inside test-outside
test-inside: bin/withdeps bin/versitygw
	nice bin/withdeps go test -race $(NO_RACE_IN_SQLITE) -shuffle=on -parallel 3 -timeout 20m work

test-outside: bin/versitygw
	cd test && GOWORK=off go test -count=1 -p 1 -parallel 2 -timeout 20m $$(GOWORK=off go list ./... | grep -vE '/(browser|docs|manifests|observability)$$')

.PHONY: chaos
chaos: ## Break the distributed shape in every way that it promises to survive, at full size (half an hour)
	cd test && GOWORK=off go test -count=1 -parallel 1 -timeout 2h -v ./chaos -full

.PHONY: upgrade
upgrade: ## Run the previous release on today's schema and beside today's binaries (two minutes)
	@tools/deps.sh
	cd test && GOWORK=off go test -count=1 -v ./upgrade

.PHONY: bench
bench: bin/bench ## Measure Hub against baselines in the same run and print the table (a quarter of an hour)
	@tools/deps.sh
	bin/bench

.PHONY: bench-go
bench-go: bin/benchstat ## Measure the hot functions, each beside a baseline (two minutes)
	@go test -run '^$$' -bench '$(HOT)' -benchtime 200ms -count 8 $(HOT_PACKAGES) > bin/bench-go.txt
	@bin/benchstat -col /impl -ignore pkg bin/bench-go.txt

.PHONY: bench-doc
bench-doc: bin/bench bin/benchstat ## Measure everything on a quiet machine and write the figures and plots of docs/performance.md
	@tools/deps.sh
	bin/bench -doc docs/performance.md -plots docs/img
	bin/bench -only 5,8,9,10,15 -profile bin/profiles -doc docs/performance.md
	@$(MAKE) -s bench-go | tee /dev/stderr | bin/bench embed bench-go docs/performance.md

.PHONY: profile
profile: bin/bench ## Take the profile by which the binaries are built from the benchmark, on a quiet machine (some minutes)
	@tools/deps.sh
	@rm -rf bin/profiles
	bin/bench -only 5,9,10,15 -profile bin/profiles
	go tool pprof -proto bin/profiles/row-*-{edge,todohub,messagehub,hub}-*.pprof > bin/default.pgo
	mv bin/default.pgo $(PROFILE)

.PHONY: bench-smoke
bench-smoke: bin/bench ## Check in a minute that everything that is measured still can be
	@tools/deps.sh
	@plots=$$(mktemp -d) && trap 'rm -r "$$plots"' EXIT && bin/bench -short -rounds 1 -plots "$$plots"

.PHONY: lint
lint: bin/golangci-lint bin/buf ## Check the code and the protos
	bin/buf lint
	bin/buf format -d --exit-code
	bin/buf breaking --against proto/baseline.binpb
	bin/golangci-lint run $(MODULES:%=./%/...)
	cd test && GOWORK=off $(CURDIR)/bin/golangci-lint run ./...

.PHONY: proto
proto: bin/buf bin/protoc-gen-go ## Generate the Go code of the protos
	bin/buf generate

.PHONY: baseline
baseline: bin/buf ## Accept the protos as they are as the base of the breaking check (at a release)
	bin/buf build -o proto/baseline.binpb

.PHONY: tidy
tidy: ## Tidy every module
	@for m in $(MODULES) test $(TOOLS); do (cd $$m && GOWORK=off go mod tidy); done

.PHONY: generated
generated: proto ## Check that generated code is up to date
	@git diff --exit-code -- proto/gen services/edge/internal/gatewaypb
	@test -z "$$(git status --porcelain -- proto/gen services/edge/internal/gatewaypb)"

.PHONY: lone
lone: ## Check that each module builds and is tidy without the workspace
	@for m in $(MODULES) test $(TOOLS); do echo "$$m"; (cd $$m && export GOWORK=off && go mod tidy -diff); done
	@for m in $(MODULES) test; do (cd $$m && export GOWORK=off && go build ./...); done

.PHONY: manifests
manifests: ## Render and check the Kubernetes manifests and compose.yaml
	cd test && GOWORK=off go test -count=1 ./manifests

.PHONY: overlay
overlay: ## Check an overlay before it is applied: make overlay DIR=... [SECRETS=file]
	@test -n "$(DIR)" || { echo "usage: make overlay DIR=deploy/k8s/overlays/prod [SECRETS=file]" >&2; exit 2; }
	@cd test && GOWORK=off go run ./manifests/cmd/overlay $(CURDIR) $(abspath $(DIR)) $(if $(SECRETS),$(abspath $(SECRETS)))

.PHONY: observability
observability: bin/promtool ## Check the alerts and the dashboard, also beside a Prometheus and a running Hub
	@tools/deps.sh
	cd test && GOWORK=off go test -count=1 ./observability

.PHONY: openapi
openapi: bin/oapi-codegen bin/openapi/installed ## Lint the OpenAPI document and generate clients from it (installs npm packages)
	tools/openapi/check.sh

.PHONY: browser
browser: bin/provider/installed ## Use the portal with a real browser, and log in, also at a provider that is not Hub's (installs Chromium, nginx, a font and npm packages)
	@tools/deps.sh chromium nginx fonts-noto-cjk
	cd test && GOWORK=off go test -count=1 ./browser

.PHONY: web
web: bin/web/installed ## Check the JavaScript of the portal and of its client: types, tests, the npm package (installs npm packages)
	tools/web/check.sh

.PHONY: docs
docs: ## Check the links of the documentation
	cd test && GOWORK=off go test -count=1 ./docs

.PHONY: static
static: ## Build the static binaries of the images
	@CGO_ENABLED=0 go build -pgo $(PROFILE) -trimpath -buildvcs=false -ldflags '-s -w $(LDFLAGS)' -o bin/static/$(shell go env GOARCH)/ $(SERVICES)

.PHONY: images
images: static bin/withdeps ## Build the images of the services and test them in containers
	VERSION=$(VERSION) deploy/test-images.sh

.PHONY: verify
verify: test lint generated lone manifests docs openapi web browser observability images bench-smoke ## Everything that CI runs

.PHONY: bin/bench
bin/bench: build
	@GOWORK=off go -C test build -o ../bin/bench ./bench

bin/withdeps bin/up &: $(wildcard test/cmd/*/*.go test/server/*.go test/shape/*.go)
	@GOWORK=off go -C test build -o ../bin/ ./cmd/...

bin/prometheus bin/promtool &: tools/prometheus.sh
	@mkdir -p bin
	tools/prometheus.sh bin

bin/versitygw: tools/versitygw/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/versitygw install tool

bin/benchstat: tools/benchstat/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/benchstat install tool

bin/buf: tools/buf/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/buf install tool

bin/protoc-gen-go: tools/gen/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/gen install tool

bin/oapi-codegen: tools/openapi/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/openapi install tool

bin/openapi/installed: tools/openapi/package.json tools/openapi/package-lock.json tools/npm.sh
	tools/npm.sh tools/openapi bin/openapi
	@touch $@

bin/web/installed: tools/web/package.json tools/web/package-lock.json tools/npm.sh
	tools/npm.sh tools/web bin/web
	@touch $@

bin/provider/installed: test/browser/provider/package.json test/browser/provider/package-lock.json tools/npm.sh
	tools/npm.sh test/browser/provider bin/provider
	@touch $@

bin/golangci-lint: tools/lint/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/lint install tool
