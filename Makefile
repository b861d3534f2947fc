# `make help` lists what there is. Every tool's settings stand in pyproject.toml.
#
# The virtual environment is .venv, or .venv-3.13 and the like when PYTHON is
# given, so that versions do not disturb each other. It is rebuilt whenever a
# lock in deploy/ changes.

SHELL := /bin/sh
.DEFAULT_GOAL := help

ifneq ($(filter command environment,$(firstword $(origin PYTHON))),)
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
else
PYTHON := python3
VENV := .venv
endif

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
# Each process of the tests takes whole files; 0 is one after the other in one process.
# Those that take longest come first, or one process would be busy with them at the end.
JOBS ?= 2
SPREAD = --numprocesses=$(JOBS) --dist=loadfile --no-loadscope-reorder
ARGS ?=
TESTS ?= tests/contract tests/faults tests/service tests/deploy tests/engine

RUN_READY := $(VENV)/.run-ready
PACKAGE_READY := $(VENV)/.package-ready
DEV_READY := $(VENV)/.dev-ready
BENCH_READY := $(VENV)/.bench-ready
LINT_READY := $(VENV)/.lint-ready
CLIENTS_READY := $(VENV)/.clients-ready
CLIENT_TOOLS := $(VENV)/client-tools
REDOCLY := 2.77.0

# Whatever becomes of make, what it started ends with it.
WITH_MAKE := --parent $$PPID

##@ Play

.PHONY: run
run: install ## Start everything on this machine and say where it serves; Ctrl-C ends it
	@exec $(BIN)/hearts up $(WITH_MAKE)

.PHONY: worker
worker: install ## Start one more worker, for the store that HEARTS_EVENTS_URL names
	@exec $(BIN)/hearts worker $(WITH_MAKE)

.PHONY: demo
demo: install ## Play one whole game over HTTP against bots, print it, check its log
	@exec $(BIN)/hearts demo

##@ Check

.PHONY: test
test: check tests ## Everything that must pass: what `make check` does, then every test

.PHONY: tests
tests: dev ## Every test, or those that TESTS names
	$(PYTEST) $(SPREAD) $(TESTS) $(ARGS)

.PHONY: test-random
test-random: dev ## Every test in a random order; ARGS=--randomly-seed=1 repeats one
	$(PYTEST) $(SPREAD) -p pytest_randomly tests $(ARGS)

.PHONY: test-redis
test-redis: dev ## The store's tests and whole games on Debian's redis-server, which it fetches
	PYTEST="$(PYTEST) $(SPREAD)" scripts/test-on-debian-redis $(ARGS)

.PHONY: test-proxy
test-proxy: dev ## The proxy's configuration with a real nginx, which it fetches
	PYTEST="$(PYTEST)" scripts/test-on-debian-nginx $(ARGS)

.PHONY: lint-deploy
lint-deploy: dev $(LINT_READY) ## Lint what is in deploy/ with linters that it installs
	$(PYTEST) tests/deploy/test_static.py $(ARGS)

.PHONY: lint-spec
lint-spec: ## Lint openapi.yaml with Redocly's linter, which npx fetches
	@if command -v npx >/dev/null; then REDOCLY_TELEMETRY=off npx --yes @redocly/cli@$(REDOCLY) lint openapi.yaml; \
	else echo 'no npx on this machine: openapi.yaml is not linted'; fi

.PHONY: release-contract
release-contract: dev ## Take openapi.yaml as released; refused unless its version says enough
	@$(BIN)/python -m tests.contract.released

.PHONY: clients
clients: dev $(CLIENTS_READY) ## Generate clients in Python and TypeScript, and let each play a game
	HEARTS_TEST_CLIENT_TOOLS=$(CLIENT_TOOLS) $(PYTEST) tests/clients $(ARGS)

.PHONY: check
check: dev ## Format check, lint, types and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: coverage
coverage: dev ## Every test, with the lines that none of them reaches
	$(BIN)/coverage run -m pytest tests $(ARGS)
	$(BIN)/coverage report

.PHONY: format
format: dev ## Format the code and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: histories
histories: dev ## Write, read and check a thousand games, and two thousand with a word changed
	@$(BIN)/python -m tests.campaigns.histories $(ARGS)

.PHONY: clock-races
clock-races: dev ## Race 10,000 late moves against the clock (ARGS="--minutes 5")
	@$(BIN)/python -m tests.campaigns.clock_races $(ARGS)

.PHONY: bot-deals
bot-deals: dev ## Let bots of all levels play 10,000 deals by any rules (ARGS="COUNT FIRST")
	@$(BIN)/python -m tests.campaigns.bot_deals $(ARGS)

.PHONY: bot-honesty
bot-honesty: dev ## Change hidden cards in 10,000 positions and ask again (ARGS="COUNT FIRST")
	@$(BIN)/python -m tests.campaigns.bot_honesty $(ARGS)

.PHONY: bot-choices
bot-choices: dev ## Record what levels of bots answer, once a version (ARGS=hard takes it again)
	@$(BIN)/python -m tests.engine.bots.choices $(ARGS)

.PHONY: net
net: dev ## Teach the net of the level master anew, for hours (DEALS=20000)
	@$(BIN)/python -m tests.teaching.lessons .cache/lessons $(or $(DEALS),20000)
	@$(BIN)/python -m tests.teaching.learning .cache/lessons engine/policy/plays.npz

.PHONY: bench
bench: dev $(BENCH_READY) ## Measure where the time goes, as ratios within one run
	@$(BIN)/python -m tests.bench $(ARGS)

.PHONY: oracle
oracle: dev $(BENCH_READY) ## Compare deals with open_spiel, an engine by others (N=10000 of them)
	@$(BIN)/python -m tests.engine.oracle $(or $(N),300)
	$(PYTEST) tests/engine/test_oracle.py

.PHONY: naive
naive: dev ## Compare games with a second reading of the rules (ARGS="COUNT SEED")
	$(BIN)/python -m tests.engine.second_reading $(ARGS)

.PHONY: bench-bots
bench-bots: dev ## Measure how strong the levels of bots are (ARGS=300 for fewer deals)
	@$(BIN)/python -m tests.bench.strength $(ARGS)

.PHONY: bench-kernel
bench-kernel: dev $(BENCH_READY) ## Measure how many playouts a second the bots' search has
	@$(BIN)/python -m tests.bench.playouts

.PHONY: audit
audit: dev ## Deal 100,000 times, and hold where cards lie against chance (ARGS=10000)
	@$(BIN)/python -m tests.bench.deals $(ARGS)

##@ Set up

.PHONY: install
install: $(RUN_READY) $(PACKAGE_READY) ## Make the virtual environment that the service runs in

.PHONY: dev
dev: $(DEV_READY) ## Add to it what tests and linters need

.PHONY: kernel
kernel: dev ## Compile the inside of the bots' search, which then is thirty times as fast
	@$(BIN)/python deploy/build_kernel.py

# A lock that changed gets a fresh environment: what left the lock leaves too.
$(RUN_READY): deploy/requirements.txt deploy/requirements-build.txt
	@found=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || found='not there'; \
	case $$found in 3.1[1-9]|3.[2-9]?) ;; *) \
	    echo "$(PYTHON) is $$found; hearts-api needs Python 3.11 or later." >&2; \
	    echo 'Name one: make $(MAKECMDGOALS) PYTHON=python3.13' >&2; exit 1;; esac
	@echo 'Installing into $(VENV) ...'
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes -r deploy/requirements.txt -r deploy/requirements-build.txt
	@touch $@

$(PACKAGE_READY): pyproject.toml $(RUN_READY)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV_READY): deploy/requirements-dev.txt $(RUN_READY) $(PACKAGE_READY)
	@echo 'Installing what tests need into $(VENV) ...'
	@$(PIP) install --require-hashes -r deploy/requirements-dev.txt
	@touch $@

# What is measured against; where it has no wheel, its row is left out.
$(BENCH_READY): deploy/requirements-bench.txt $(DEV_READY)
	@$(PIP) install --only-binary :all: --require-hashes -r deploy/requirements-bench.txt || \
	    echo 'no open_spiel for this machine: what needs it is left out'
	@touch $@

# One of them is a binary, which not every machine has a wheel for.
$(LINT_READY): deploy/requirements-lint.txt $(DEV_READY)
	@$(PIP) install --only-binary :all: --require-hashes -r deploy/requirements-lint.txt || \
	    echo 'not all linters can be had for this machine: what is missing is skipped'
	@touch $@

# Without a lock for npm: it would name the registry it came from. The versions are exact.
$(CLIENTS_READY): deploy/requirements-clients.txt tests/clients/package.json $(DEV_READY)
	@echo 'Installing generators of clients into $(VENV) ...'
	@$(PIP) install --require-hashes -r deploy/requirements-clients.txt
	@mkdir -p $(CLIENT_TOOLS)
	@cp tests/clients/package.json $(CLIENT_TOOLS)/
	@if command -v npm >/dev/null; then \
	    npm install --prefix $(CLIENT_TOOLS) --no-package-lock --no-audit --no-fund --silent; \
	else echo 'no npm on this machine: the client in TypeScript is left out'; fi
	@touch $@

# uv is needed here alone: `pip install uv` wherever you like.
LOCK := uv pip compile --quiet --generate-hashes --no-header --universal --python-version 3.11

.PHONY: lock
lock: ## Renew the locks in deploy/, with uv; ARGS=--upgrade for newer versions
	cd deploy && $(LOCK) $(ARGS) requirements.in -o requirements.txt
	cd deploy && $(LOCK) $(ARGS) requirements-build.in -o requirements-build.txt
	cd deploy && $(LOCK) $(ARGS) requirements-otel.in -c requirements.txt -o requirements-otel.txt
	cd deploy && $(LOCK) $(ARGS) requirements-dev.in -c requirements.txt -c requirements-build.txt -c requirements-otel.txt -o requirements-dev.txt
	cd deploy && $(LOCK) $(ARGS) requirements-kernel.in -c requirements-dev.txt -o requirements-kernel.txt
	cd deploy && $(LOCK) $(ARGS) requirements-lint.in -c requirements-dev.txt -o requirements-lint.txt
	cd deploy && $(LOCK) $(ARGS) requirements-bench.in -c requirements-dev.txt -o requirements-bench.txt
	cd deploy && $(LOCK) $(ARGS) requirements-clients.in -c requirements-dev.txt -o requirements-clients.txt

.PHONY: clean
clean: ## Remove environments, caches and the compiled kernel; games in .hearts stay
	rm -f engine/playouts/*.so
	rm -rf .venv .venv-* .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
	    /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 } \
	    END { print "\nPYTHON=python3.13 behind it chooses the Python; ARGS=... goes on to the tool:" ; \
	        print "  make test ARGS=-x PYTHON=python3.13" }' $(MAKEFILE_LIST)
