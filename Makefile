# Everything is run through make; `make help` lists the commands.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GRADIO := .venv-gradio
INSPECT := .venv-inspect
LM_EVAL := .venv-lm-eval
LOAD := .venv-load
ENTRIES ?= 10000
FORMATS := .venv-formats
WORKERS ?= 2
INSTALL := -m pip install -qq --disable-pip-version-check --require-hashes
# Containers: the engine, what it builds from, and as what.
ENGINE ?= docker
COMPOSE ?= $(ENGINE) compose
BASE ?= debian:bookworm-slim
VERSION ?= latest
BUILD_FLAGS ?=
SITE := $(VENV)/.site
STAMP := $(VENV)/.installed
# The tests start hundreds of Pythons, which would compile again what none may write.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all test-fast test-real-data test-api test-formats lint schema \
        bench bench-gradio bench-inspect \
        bench-lm-eval bench-results bench-load screens screens-docs samples verify wheel image up down \
        image-test operator-test fault-test clean

help:
	@echo "make demo    install what is missing, then run the whole site on this machine"
	@echo "             (PORT=8000, DEMO_DIR=.demo for all that it keeps, and INFINITEBENCH_DATA"
	@echo "             for a folder with real labels and results)"
	@echo "make test    install what is missing, then run the test suite (about 15 minutes)"
	@echo "make test-fast"
	@echo "             the same without database, generators, browser and whole programs"
	@echo "make test-all"
	@echo "             everything: also every program killed in every phase, every page in every theme,"
	@echo "             simulations, and bounds in seconds"
	@echo "make test-real-data"
	@echo "             the few tests that need INFINITEBENCH_DATA or tiktoken's vocabulary"
	@echo "make test-api"
	@echo "             ask every address of the API for much more than the suite does (some minutes)"
	@echo "make test-formats"
	@echo "             let the packages of other projects read our files, and convert theirs"
	@echo "             (installs 900 MB into an environment of its own)"
	@echo "make lint    ruff, mypy --strict, import-linter"
	@echo "make schema  after a change of the models, until 1.0.0 is tagged: write 0001_schema.py anew"
	@echo "make bench   measure speed and memory, as ratios in one run"
	@echo "make bench-gradio"
	@echo "             compare a first visit to the board with a Gradio leaderboard of the same rows"
	@echo "             (installs 500 MB into an environment of its own)"
	@echo "make bench-inspect"
	@echo "             compare a context of two million tokens with Inspect View, in the same browser"
	@echo "             (installs 400 MB into an environment of its own)"
	@echo "make bench-lm-eval"
	@echo "             compare an endpoint run with lm-evaluation-harness, same prompts and endpoint"
	@echo "             (installs 800 MB into an environment of its own)"
	@echo "make bench-results"
	@echo "             the bytes and the time that results of ENTRIES=10000 submissions take (about an"
	@echo "             hour, and 30 GB below TMPDIR)"
	@echo "make bench-load"
	@echo "             the site under 40 reads and one upload a second for five minutes, on a machine that"
	@echo "             does nothing else (installs 60 MB into an environment of its own)"
	@echo "make screens take a picture of every page, into build/screens"
	@echo "make screens-docs"
	@echo "             the same, and renew the few that the documentation shows"
	@echo "make samples write an extract of every kind of generated text to build/samples.md"
	@echo "make verify  check the installed scorer against its golden cases"
	@echo "make wheel   build the wheel of the command, into build/wheel"
	@echo "make image   build the images of the site, the proxy, PostgreSQL and Redis"
	@echo "             (ENGINE=docker, BASE=debian:bookworm-slim, VERSION=latest)"
	@echo "make up      build them and run the whole site in containers, as root; the first time with"
	@echo "             HOST=board.example ADMIN=you@example.org (docs/deployment.md)"
	@echo "make down    stop it; what it has stored stays"
	@echo "make image-test"
	@echo "             build, run and test all of that with a browser, as root (about 8 minutes)"
	@echo "make operator-test"
	@echo "             bring an earlier version up, upgrade it to this one, restore it elsewhere, and"
	@echo "             find planted faults, as root (about 15 minutes)"
	@echo "make fault-test"
	@echo "             build and run all of that, break each part of it under load, then a load of"
	@echo "             MINUTES=20, as root (about 45 minutes)"
	@echo "make clean   remove the virtual environments and all caches"

# What the site needs; and on top of it what its tests need.
$(SITE): requirements/base.txt pyproject.toml requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh "$(VENV)"
	@echo "installing the locked dependencies into $(VENV) …"
	@$(BIN)/python $(INSTALL) -r requirements/base.txt
	@$(BIN)/python -c 'import site; print("$(CURDIR)", file=open(site.getsitepackages()[0] + "/project.pth", "w"))'
	@$(BIN)/python -m compileall -q scoring portal leaderboard  # for users who cannot write here
	@touch $@

$(STAMP): $(SITE) requirements/dev.txt
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh "$(VENV)" tests
	@echo "installing what the tests need into $(VENV) …"
	@$(BIN)/python $(INSTALL) -r requirements/dev.txt
	@touch $@

demo: $(SITE)
	@$(BIN)/python -m portal.demo

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not exhaustive"

test-all: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS)

test-fast: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) \
		-m "not database and not slow and not browser and not system and not exhaustive"

test-real-data: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) -m "real_data and not exhaustive"

test-api: $(STAMP)
	API_EXAMPLES=100 $(BIN)/python -m pytest tests/portal/api/test_conformance.py

$(FORMATS)/.installed: requirements/formats.txt requirements/every-eval-ever.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh $(FORMATS)
	@echo "installing the packages of other formats into $(FORMATS) …"
	@# --no-deps: all are in the file, and pip 23.2 would look for a newer typepy than it has
	@$(FORMATS)/bin/python $(INSTALL) --no-deps -r requirements/formats.txt
	@# which runs with any Python, but can be installed by 3.12 and newer only
	@$(FORMATS)/bin/python -m pip download -qq --disable-pip-version-check --require-hashes --no-deps \
		--only-binary=:all: --python-version 3.12 -d $(FORMATS)/wheels -r requirements/every-eval-ever.txt
	@touch $@

test-formats: $(STAMP) $(FORMATS)/.installed
	FORMATS_PYTHON=$(CURDIR)/$(FORMATS)/bin/python EVERY_EVAL_EVER=$$(echo $(CURDIR)/$(FORMATS)/wheels/*.whl) \
		$(BIN)/python -m pytest tests/leaderboard/formats/with_packages.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

schema: $(STAMP)
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.tools.schema

bench: $(STAMP)
	@$(BIN)/python -m compileall -q scoring  # as installed: a first run would compile its imports
	$(BIN)/python -m tests.bench

$(GRADIO)/.installed: requirements/gradio.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh $(GRADIO)
	@echo "installing Gradio into $(GRADIO) …"
	@$(GRADIO)/bin/python $(INSTALL) -r requirements/gradio.txt
	@touch $@

bench-gradio: $(STAMP) $(GRADIO)/.installed
	$(BIN)/python -m tests.bench.gradio $(GRADIO)/bin/python

$(INSPECT)/.installed: requirements/inspect.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh $(INSPECT)
	@echo "installing Inspect into $(INSPECT) …"
	@$(INSPECT)/bin/python $(INSTALL) -r requirements/inspect.txt
	@touch $@

bench-inspect: $(STAMP) $(INSPECT)/.installed
	$(BIN)/python -m tests.bench.inspect_view $(INSPECT)/bin/python

$(LM_EVAL)/.installed: requirements/lm-eval.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh $(LM_EVAL)
	@echo "installing lm-evaluation-harness into $(LM_EVAL) …"
	@# --no-deps: all are in the file, and pip 23.2 would look for a newer typepy than it has
	@$(LM_EVAL)/bin/python $(INSTALL) --no-deps -r requirements/lm-eval.txt
	@touch $@

bench-lm-eval: $(STAMP) $(LM_EVAL)/.installed
	@$(BIN)/python -m compileall -q scoring  # as installed: a first run would compile its imports
	$(BIN)/python -m tests.bench.lm_eval $(LM_EVAL)/bin/python

bench-results: $(STAMP)
	$(BIN)/python -m tests.bench.results.bench $(ENTRIES)

$(LOAD)/.installed: requirements/load.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh $(LOAD)
	@echo "installing locust into $(LOAD) …"
	@$(LOAD)/bin/python $(INSTALL) -r requirements/load.txt
	@touch $@

bench-load: $(STAMP) $(LOAD)/.installed
	$(BIN)/python -m tests.bench.load $(LOAD)/bin/locust

screens: $(STAMP)
	$(BIN)/python -m tests.tools.screens build/screens

screens-docs: screens
	cd build/screens && cp $(notdir $(wildcard docs/screens/*.webp)) ../../docs/screens/

samples: $(SITE)
	$(BIN)/python -m tests.tools.release_samples build/samples.md

verify: $(SITE)
	$(BIN)/python -m scoring verify

wheel: $(SITE)
	@sh requirements/wheel.sh $(BIN)/python build/wheel
	@ls build/wheel/*.whl

image:
	@for target in site proxy database redis; do \
		echo "building the image of $$target …"; \
		$(ENGINE) build $(BUILD_FLAGS) --quiet --build-arg BASE=$(BASE) --target $$target \
			--tag localhost/infinitebench/$$target:$(VERSION) --file docker/Dockerfile . || exit; \
	done

up: image
	@ENGINE="$(ENGINE)" COMPOSE="$(COMPOSE)" VERSION="$(VERSION)" HOST="$(HOST)" ADMIN="$(ADMIN)" sh docker/up.sh

down:
	cd docker && VERSION="$(VERSION)" $(COMPOSE) down

image-test: $(STAMP)
	$(BIN)/python -m pytest -p no:cacheprovider tests/image/walk.py tests/image/promises.py

operator-test: $(STAMP)
	$(BIN)/python -m tests.image.operator

MINUTES ?= 20
fault-test: $(STAMP)
	$(BIN)/python -m tests.image.faults
	$(BIN)/python -m tests.image.scaling
	$(BIN)/python -m tests.image.soak --minutes $(MINUTES)

clean:
	rm -rf $(VENV) $(GRADIO) $(INSPECT) $(LM_EVAL) $(LOAD) $(FORMATS) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
