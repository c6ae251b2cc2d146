# Everything is run through make; `make` alone lists the commands.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
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
DJADE := $(BIN)/djade --target-version 5.2
# Fragments within a sentence end without a line break, which djade would add.
TEMPLATES = $$(for file in $$(git ls-files 'templates/*.html'); do [ "$$(tail -c 1 $$file)" ] || echo $$file; done)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS)
# The tests start hundreds of Pythons, which would compile again what none may write.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all test-fast test-again test-db test-real-data lint format schema verify wheel up \
        down clean

help:  # Each target below with two hashes: its name, and what it does.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "make more-help       benches, other projects' packages, pictures, tests in containers"

include more.mk

# The packages of the site, then those of its tests; and the programs that either starts.
$(SITE): requirements/base.txt pyproject.toml requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh "$(VENV)"
	@echo "installing the locked dependencies into $(VENV) …"
	@$(BIN)/python $(INSTALL) -r requirements/base.txt
	@$(BIN)/python -c 'import site; print("$(CURDIR)", file=open(site.getsitepackages()[0] + "/project.pth", "w"))'
	@$(BIN)/python -m compileall -q scoring portal leaderboard  # for users who cannot write here
	@touch $@

$(STAMP): $(SITE) requirements/dev.txt
	@echo "installing what the tests need into $(VENV) …"
	@$(BIN)/python $(INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.programs-%: $(SITE) requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh "$(VENV)" $*
	@touch $@

demo: $(SITE) $(VENV)/.programs-site  ## install what is missing, then run the whole site here (PORT=8000, DEMO_DIR=.demo)
	@$(BIN)/python -m portal.demo

test: $(STAMP) $(VENV)/.programs-tests  ## install what is missing, then run the suite
	$(PYTEST) -m "not exhaustive"

test-fast: $(STAMP)  ## what needs neither database, browser nor other programs: a minute
	$(PYTEST) -m "not database and not slow and not browser and not system and not exhaustive"

test-all: $(STAMP) $(VENV)/.programs-tests  ## everything, also programs killed in every phase and simulations
	$(PYTEST)

test-real-data: $(STAMP) $(VENV)/.programs-tests  ## the few that need INFINITEBENCH_DATA or tiktoken's vocabulary
	$(PYTEST) -m "real_data and not exhaustive"

test-again: $(STAMP) $(VENV)/.programs-tests  ## TESTS=tests/… ten times beside two busy processes: is it flaky?
	$(BIN)/python -m tests.tools.again $(TESTS)

test-db: $(STAMP)  ## keep a database for `pytest --reuse-db tests/…`: a file in seconds
	@$(BIN)/python -m tests.tools.database

lint: $(STAMP)  ## ruff, djade for the templates, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(DJADE) --check $(TEMPLATES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

format: $(STAMP)  ## what lint asks of the form of code and templates
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(DJADE) $(TEMPLATES)

schema: $(STAMP)  ## after a change of the models, until 1.0.0 is tagged: write 0001_schema.py anew
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.tools.schema

verify: $(SITE)  ## check the installed scorer against its golden cases
	$(BIN)/python -m scoring verify

wheel: $(SITE)  ## build the wheel of the command, into build/wheel
	@sh requirements/wheel.sh $(BIN)/python build/wheel
	@ls build/wheel/*.whl

up: image  ## build the images and run the site in containers; the first time with HOST=… ADMIN=… (docs/deployment.md)
	@ENGINE="$(ENGINE)" COMPOSE="$(COMPOSE)" VERSION="$(VERSION)" HOST="$(HOST)" ADMIN="$(ADMIN)" sh docker/up.sh

down:  ## stop them; what is stored stays
	cd docker && VERSION="$(VERSION)" $(COMPOSE) down

clean:  ## remove the virtual environments and all caches
	rm -rf $(VENV) $(GRADIO) $(INSPECT) $(LM_EVAL) $(LOAD) $(FORMATS) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
