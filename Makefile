# Verbs of the project. `make up` shows a moving table, `make test` proves it; both set themselves up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := ops/lock/requirements.txt
# Compiled modules make every process of `up` start in half the time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install up test check format bench clean schemas lock

help: ## list the verbs
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

install: $(STAMP) ## make .venv and install what the lock file pins (quick when nothing changed)

$(STAMP): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "The venv module is missing: apt-get install python3-venv"; exit 2; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

up: install ## the whole service on this machine, with a demo table; Ctrl-C stops it
	@exec $(BIN)/shuangkou up

test: install ## the whole test suite, real servers included
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: install ## formatter, linter, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install ## let the formatter and the linter repair what they can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install ## benchmarks, each as a ratio to a peer measured in the same run
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement ops/lock/bench.txt
	$(BIN)/shuangkou bench

schemas: install ## write the JSON Schemas and the AsyncAPI document that the models give
	$(BIN)/python -m ops.generate

UV_LOCK = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header
lock: install ## pin the newest versions that pyproject.toml allows
	$(BIN)/python -m pip install --quiet uv
	$(UV_LOCK) --group dev pyproject.toml -o $(LOCK)
	$(UV_LOCK) --group bench -o ops/lock/bench.txt

clean: ## leave a clean tree (data/ is kept: it is the record)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
