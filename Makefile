# Two commands do it all on a fresh machine with Python 3.11 or later: make play, make test.

PYTHON ?= python3
BIN = .venv/bin
READY = .venv/.ready

.PHONY: help install play web test system audit check bench lock protocol messages format clean

help:
	@echo "make play      the tables, in your browser"
	@echo "make web       the page, built where the server looks for it"
	@echo "make test      every test, after lint, types and contracts"
	@echo "make install   a .venv here with the mandalier command in it"
	@echo "make system    PostgreSQL and Chromium, for the tests (make test does it)"
	@echo "make audit     whether a fault is known of what we depend on"
	@echo "make check     lint, types, contracts"
	@echo "make bench     the benchmarks, as JSON"
	@echo "make protocol  docs/protocol.md, the page's types and the settings in docs/hosting.md"
	@echo "make messages  gather and compile the texts for translation"
	@echo "make lock      pin the newest versions of what we depend on"

install: $(READY)

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed (make PYTHON=python3.12 ...)")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

play: web
	$(BIN)/mandalier serve --open

web: $(READY)
	$(BIN)/python web/build.py

test: $(READY) check web system
	$(BIN)/python -m pytest -n auto --dist worksteal

system:
	tests/system.sh

audit: $(READY)
	tests/audit.sh

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python web/build.py --check

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/mandalier bench --json
	$(BIN)/python bench/dice.py
	$(BIN)/python bench/draw.py

protocol: $(READY)
	$(BIN)/python -m mandalier.server.protocol_docs --markdown > docs/protocol.md
	$(BIN)/python -m mandalier.server.protocol_docs --typescript > web/src/protocol.ts
	$(BIN)/python -m mandalier.server.config docs/hosting.md

messages: $(READY)
	$(BIN)/python tests/messages.py --update

lock:
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade $$($(PYTHON) -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb')); print(*['\"%s\"' % d.split(';')[0] for d in p['project']['dependencies'] + p['dependency-groups']['dev'] + p['build-system']['requires']])" | tr -d '"')
	$(BIN)/python -m pip freeze --exclude-editable > requirements.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist web/build web/node_modules src/mandalier/web
