# Everything that one does with this repository. CI runs the same targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -X example.com/hub/pkg/version.version=$(VERSION)

# The modules of go.work, and those that stand alone so that their dependencies raise nobody's versions.
MODULES := proto pkg services/todohub services/messagehub services/edge services/allinone contract
BINARIES := ./services/allinone/cmd/hub ./services/todohub/cmd/todohub ./services/messagehub/cmd/messagehub ./services/edge/cmd/edge
TOOLS := bench tools/buf tools/gen tools/lint tools/stack tools/kubescore tools/manifests

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build every binary into bin/
	@go build -ldflags '$(LDFLAGS)' -o bin/ $(BINARIES)

.PHONY: run
run: ## Start the whole of Hub on 127.0.0.1:8080 (REST, SSE) and 127.0.0.1:9090 (gRPC), data in ./data
	@go build -ldflags '$(LDFLAGS)' -o bin/hub ./services/allinone/cmd/hub
	@exec bin/hub

.PHONY: up
up: build bin/up ## Start the distributed shape: PostgreSQL, Redis, two replicas of each service, data in ./data/up
	@tools/deps.sh
	@exec bin/up

.PHONY: test
test: bin/withdeps ## Run all tests with the race detector, beside a real PostgreSQL and Redis
	@tools/deps.sh
	bin/withdeps go test -race -shuffle=on work
	@for m in bench tools/stack; do (cd $$m && GOWORK=off go test -count=1 ./...); done

.PHONY: chaos
chaos: ## Break the distributed shape in every way that it promises to survive, at full size (half an hour)
	cd tools/stack && GOWORK=off go test -count=1 -timeout 2h -v ./chaos -full

.PHONY: bench
bench: build ## Measure Hub against baselines in the same run and print the table (a quarter of an hour)
	@tools/deps.sh
	@GOWORK=off go -C bench build -o ../bin/bench .
	bin/bench

.PHONY: lint
lint: bin/golangci-lint bin/buf ## Check the code and the protos
	bin/buf lint
	bin/buf format -d --exit-code
	bin/buf breaking --against proto/baseline.binpb
	bin/golangci-lint run $(MODULES:%=./%/...)
	@for m in bench tools/stack tools/manifests; do (cd $$m && GOWORK=off $(CURDIR)/bin/golangci-lint run ./...); done

.PHONY: proto
proto: bin/buf bin/protoc-gen-go ## Generate the Go code of the protos
	bin/buf generate

.PHONY: baseline
baseline: bin/buf ## Accept the protos as they are as the base of the breaking check (at a release)
	bin/buf build -o proto/baseline.binpb

.PHONY: tidy
tidy: ## Tidy every module
	@for m in $(MODULES) $(TOOLS); do (cd $$m && GOWORK=off go mod tidy); done

.PHONY: generated
generated: proto ## Check that generated code is up to date
	@git diff --exit-code -- proto/gen services/edge/internal/gatewaypb
	@test -z "$$(git status --porcelain -- proto/gen services/edge/internal/gatewaypb)"

.PHONY: lone
lone: ## Check that each module builds and is tidy without the workspace
	@for m in $(MODULES) $(TOOLS); do echo "$$m"; (cd $$m && export GOWORK=off && go mod tidy -diff); done
	@for m in $(MODULES) bench tools/stack tools/manifests; do (cd $$m && export GOWORK=off && go build ./...); done

.PHONY: manifests
manifests: ## Render and check the Kubernetes manifests and compose.yaml
	cd tools/manifests && GOWORK=off go test -count=1 ./...

.PHONY: static
static: ## Build the static binaries of the images
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w $(LDFLAGS)' -o bin/static/$(shell go env GOARCH)/ $(filter-out %/hub,$(BINARIES))

.PHONY: images
images: static bin/withdeps ## Build the images of the services and test them in containers
	VERSION=$(VERSION) deploy/test-images.sh

.PHONY: verify
verify: test lint generated lone manifests ## Everything that CI runs

bin/withdeps bin/up &: $(wildcard tools/stack/cmd/*/*.go tools/stack/s*/*.go)
	@GOWORK=off go -C tools/stack build -o ../../bin/ ./cmd/...

bin/buf: tools/buf/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/buf install tool

bin/protoc-gen-go: tools/gen/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/gen install tool

bin/golangci-lint: tools/lint/go.mod
	GOWORK=off GOBIN=$(CURDIR)/bin go -C tools/lint install tool
