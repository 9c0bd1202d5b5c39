# Everything a newcomer needs: `make demo`, `make test`. Each sets up its own virtual environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements.lock
export UV_PYTHON_DOWNLOADS := never

.PHONY: demo test check bench docs lock setup clean

setup: $(STAMP)

# uv installs the locked set in seconds; where it cannot be had, plain pip installs the same set.
$(STAMP): $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("coplay needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2]) if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked packages into $(VENV) (about a minute the first time) ..."
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.9,<0.14"; then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(LOCK) && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e . -e clients/python ; \
	else \
	  $(BIN)/python -m pip install --quiet --require-hashes -r $(LOCK) && \
	  $(BIN)/python -m pip install --quiet --no-deps -e . -e clients/python ; \
	fi
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/coplay demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python benchmarks/hanabi_env.py --batch 4096

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

lock: $(STAMP)
	$(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --all-extras --group dev \
	  --no-annotate --custom-compile-command "make lock" pyproject.toml -o $(LOCK)

clean:
	rm -rf $(VENV) site dist .pytest_cache .ruff_cache .jax_cache
