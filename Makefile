# Everything a newcomer needs: `make demo`, `make test`. Each sets up its own virtual environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Marks of what is installed: enough to use coplay, enough to work on it.
READY := $(VENV)/.ready
STAMP := $(VENV)/.installed
LOCK := requirements.lock
DEV_LOCK := requirements-dev.lock
PACKAGES := pyproject.toml pool/pyproject.toml clients/python/pyproject.toml
EDITABLE := -e . -e pool -e clients/python
export UV_PYTHON_DOWNLOADS := never

.PHONY: demo test check bench docs lock setup build clean

setup: $(STAMP)

# uv installs a locked set in seconds; where it cannot be had, plain pip installs the same set.
define install
	@$(PYTHON) -c 'import sys; sys.exit("coplay needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2]) if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the packages of $(1) into $(VENV) (about a minute the first time) ..."
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.9,<0.14"; then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps $(EDITABLE) ; \
	else \
	  $(BIN)/python -m pip install --quiet --require-hashes -r $(1) && \
	  $(BIN)/python -m pip install --quiet --no-deps $(EDITABLE) ; \
	fi
endef

# The demo needs no linters, browsers or compilers of documents.
$(READY): $(LOCK) $(PACKAGES)
	$(call install,$(LOCK))
	@touch $(READY)

$(STAMP): $(DEV_LOCK) $(LOCK) $(PACKAGES)
	$(call install,$(DEV_LOCK))
	@touch $(READY) $(STAMP)

demo: $(READY)
	@$(BIN)/coplay demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python benchmarks/hanabi_env.py --batch 4096

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

build: $(STAMP)
	$(BIN)/python -m hatchling build -d $(CURDIR)/dist
	cd pool && $(CURDIR)/$(BIN)/python -m hatchling build -d $(CURDIR)/dist
	cd clients/python && $(CURDIR)/$(BIN)/python -m hatchling build -d $(CURDIR)/dist

# Ray, W&B and MLflow are left out: they are large or bring dozens of packages, and their tests skip without them.
EXTRAS := --extra bots --extra gymnasium --extra pettingzoo --extra server
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 $(EXTRAS) \
	  --no-annotate --custom-compile-command "make lock" pyproject.toml
lock: $(STAMP)
	$(COMPILE) --extra slurm --extra tensorboard --group dev -o $(DEV_LOCK)
	$(COMPILE) --constraint $(DEV_LOCK) -o $(LOCK)

clean:
	rm -rf $(VENV) site dist .pytest_cache .ruff_cache .jax_cache
