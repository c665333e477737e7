# Every target sets up what it needs, once, and says what it does. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Node 24 and all tools come by npm into node_modules/.bin; the machine's own node only has to run npm.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# Not `npm ci`: it refuses a lock file without the optional packages of platforms that a registry does not carry.
# `npm install --no-save` takes the locked versions all the same and leaves the lock file alone.
INSTALLED := node_modules/.package-lock.json
LOCAL_KUBERNETES := node tools/local-kubernetes/main.ts
AREAS := ground cluster clustering rollout volume autoresizer product
# Empty where a node can run.
NO_NODE := $(shell [ "$$(uname -s)" = Linux ] && [ "$$(id -u)" = 0 ] || \
	echo "real mysqld and nodes need Linux and root. With KUBECONFIG set, 'make demo EXISTING=1' uses an existing cluster instead.")
say = @printf '\033[1m== %s\033[0m\n' "$(1)"

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make e2e AREA=ground     one area of: $(AREAS)"
	@echo "  make demo KEEP=1         leave the demo's cluster up"
	@echo "  make demo NAME=another   call the demo's cluster so, beside one that is there"
	@echo "  make demo EXISTING=1     use the cluster that KUBECONFIG names"

.PHONY: setup
setup: $(INSTALLED) ## Install the npm packages (done by every target that needs them)

$(INSTALLED): package.json package-lock.json $(wildcard packages/*/package.json tools/*/package.json) e2e/package.json bench/package.json
	$(call say,Installing npm packages)
	npm install --no-save --loglevel=error
	@touch $@

.PHONY: check
check: setup ## Format, lint, types, unused code, generated files up to date
	$(call say,Format)
	prettier --check --log-level warn .
	$(call say,Lint)
	oxlint --type-aware
	$(call say,Types)
	tsc -p .
	$(call say,Unused code)
	knip --no-config-hints
	$(call say,Generated files)
	$(MAKE) generate CHECK=--check

.PHONY: format
format: setup ## Format all files
	prettier --write --log-level warn .

.PHONY: generate
generate: setup ## Write generated files anew (CHECK=--check only compares)
	node tools/generate-types/main.ts $(CHECK)
	node tools/generate-crds/main.ts $(CHECK)
	node tools/generate-docs/main.ts $(CHECK)

.PHONY: test
test: test-unit ## Unit, API-server, mysqld and representative e2e tests
	@# Both wait more than they compute.
	@$(MAKE) -j2 test-api test-mysql
	@$(MAKE) test-e2e

.PHONY: test-unit
test-unit: setup ## Tests that need nothing but Node (seconds)
	$(call say,Unit tests)
	vitest run --project unit

.PHONY: test-api
test-api: setup ## Tests against a real API server and etcd
	$(call say,API-server tests)
	vitest run --project api

.PHONY: test-mysql
test-mysql: setup ## Tests against a real mysqld
	$(call say,mysqld tests)
	@if [ -n "$(NO_NODE)" ]; then echo "Not run: $(NO_NODE)"; else vitest run --project mysql; fi

.PHONY: test-e2e
test-e2e: setup ## A representative e2e of each area, on a real node
	$(call say,End-to-end tests: a representative of each area)
	@if [ -n "$(NO_NODE)" ]; then echo "Not run: $(NO_NODE)"; else vitest run --project e2e smoke; fi

.PHONY: e2e
e2e: setup ## All e2e tests, or those of one AREA; KILL=1 kills controllers at random moments of each
	$(call say,End-to-end tests: $(or $(AREA),all areas))
	@if [ -n "$(NO_NODE)" ]; then echo "$(NO_NODE)"; exit 1; fi
	$(if $(KILL),KILL=1) vitest run --project e2e $(if $(KILL),--testTimeout=1200000) e2e/$(if $(AREA),$(AREA)/)

.PHONY: chaos
chaos: setup ## Faults and writers without end: ROUNDS=20 SEED=1 FAULT=name
	node e2e/clustering/chaos.ts --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1) $(if $(FAULT),--fault "$(FAULT)")

.PHONY: demo
demo: setup ## Bring up a local cluster and show what it does
	node tools/demo/main.ts $(if $(KEEP),--keep) $(if $(NAME),--name "$(NAME)") $(if $(EXISTING),--existing) \
		$(if $(IMAGES),--images "$(IMAGES)") $(if $(MYSQL),--mysql "$(MYSQL)")

.PHONY: simulate
simulate: setup ## Simulate clusters and faults, SEEDS of them from SEED on; SEED alone tells that story
	node tools/simulate/main.ts $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED))

.PHONY: images
images: setup ## Build the images
	node tools/local-kubernetes/images/main.ts build --folder "$$(node tools/bundle/main.ts)"

.PHONY: cli
cli: setup ## Build the plugin of kubectl: build/kubectl-moco, one file to put on PATH
	node tools/bundle/main.ts --cli

.PHONY: release
release: setup ## Make dist/: charts, images, plugin, what is in them, checksums (VERSION=1.2.3; DRAFT=1 to try it)
	node tools/release/main.ts $(if $(DRAFT),--draft) "$(VERSION)"

.PHONY: bench
bench: setup ## Measure against peers; prints ratios
	node bench/main.ts

.PHONY: clean
clean: setup ## Take local clusters down, remove build output (the cache of binaries and images stays)
	$(LOCAL_KUBERNETES) down --all
	rm -rf build dist coverage
