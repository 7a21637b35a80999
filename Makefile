# Everything runs in .venv, which `make setup` and `make demo` make themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled when they are first used: half a minute and 100 MB less.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest
DEMO ?= runs/demo-$(shell date +%m%d-%H%M%S)
CONDITIONS := base,indirect,formal,casual,verbose,typos,dialect_singapore

.PHONY: setup demo test test-fast test-slow fuzz check format bench bench-peers golden clean

# A stamp an install: it is done again only when what is pinned has changed.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[analysis,agents,variants,report]'
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[analysis,agents,variants,local,report,dev]'
	$(BIN)/stagetrace models fetch smollm2
	touch $@ $(VENV)/.demo

$(VENV)/.retrieval: $(VENV)/.dev
	$(PIP) install --no-compile torch==2.13.0
	$(INSTALL) --editable '.[retrieval]'
	$(BIN)/stagetrace models fetch minilm
	$(BIN)/stagetrace models fetch splade-tiny
	touch $@

setup: $(VENV)/.dev

demo: $(VENV)/.demo
	$(BIN)/stagetrace run office --assistant rag --conditions $(CONDITIONS) --workers 2 --out $(DEMO)/rag
	$(BIN)/stagetrace run office --assistant tools --conditions $(CONDITIONS) --workers 2 --out $(DEMO)/tools
	$(BIN)/stagetrace analyze $(DEMO)/rag
	$(BIN)/stagetrace analyze $(DEMO)/tools
	$(BIN)/stagetrace analyze $(DEMO)/rag $(DEMO)/tools --format html --out $(DEMO)/report
	@echo
	@echo "report: $(DEMO)/report/index.html (open it in a browser)"
	@echo "next:   $(BIN)/stagetrace show $(DEMO)/tools office-t16 --condition indirect"
	@echo "        $(BIN)/stagetrace diff $(DEMO)/tools office-t16 --conditions base,indirect"
	@echo "        $(BIN)/stagetrace run office --assistant tools --conditions all --out runs/mine"

# The conformance cases run by themselves, so that their count is the last line.
test: $(VENV)/.dev check
	$(PYTEST) -q -n 2 -m "not service" --ignore tests/conformance
	$(PYTEST) -q tests/conformance

test-fast: $(VENV)/.dev
	$(PYTEST) -m "not service and not slow and not model" -q

# Phoenix in a virtualenv of its own: 850 MB.
.venv-phoenix/.done:
	$(PYTHON) -m venv .venv-phoenix
	.venv-phoenix/bin/pip install --disable-pip-version-check -q arize-phoenix==20.26.1
	touch $@

test-slow: $(VENV)/.retrieval .venv-phoenix/.done .venv-bench/.done
	$(PYTEST) -m service

# Ten minutes of changed inputs, from another seed each day.
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.flow.fuzz_inputs --seconds 600 --seed $(shell date +%Y%m%d)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/tracing.py
	$(BIN)/python benchmarks/transducer.py
	$(BIN)/python benchmarks/retriever_speed.py

# Peers in a virtualenv of their own, beside ours in one run.
.venv-bench/.done: constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install -q -e '.[agents]' openinference-instrumentation-langchain \
		opentelemetry-instrumentation-langchain langfuse mlflow-tracing langsmith
	.venv-bench/bin/pip install -q --no-deps opentelemetry-exporter-otlp-json-common \
		opentelemetry-exporter-otlp-json-file
	touch $@

bench-peers: .venv-bench/.done
	.venv-bench/bin/python benchmarks/tracing.py --peers

golden: $(VENV)/.dev
	STAGETRACE_GOLDEN=1 $(PYTEST) -q -m "not service and not model"
	git --no-pager diff --stat

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
