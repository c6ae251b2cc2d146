# What is run now and then: measurements, packages of other projects, pictures, containers.

GRADIO := .venv-gradio
INSPECT := .venv-inspect
LM_EVAL := .venv-lm-eval
LOAD := .venv-load
FORMATS := .venv-formats
ENTRIES ?= 10000
MINUTES ?= 20
TESTED := $(STAMP) $(VENV)/.programs-tests

.PHONY: more-help bench bench-gradio bench-inspect bench-lm-eval bench-results bench-load test-api \
        test-formats screens screens-docs samples image image-test operator-test fault-test

more-help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' more.mk

# An environment of its own, from the lock file of the same name.
.venv-%/.installed: requirements/%.txt requirements/prepare.sh
	@PYTHON="$(PYTHON)" sh requirements/prepare.sh .venv-$*
	@echo "installing $* into .venv-$* …"
	@# --no-deps: all are in the file, and pip 23.2 would look for a newer typepy than it has
	@.venv-$*/bin/python $(INSTALL) --no-deps -r requirements/$*.txt
	@touch $@

bench: $(STAMP)  ## speed and memory, as ratios in one run
	@$(BIN)/python -m compileall -q scoring  # as installed: a first run would compile its imports
	$(BIN)/python -m tests.bench

bench-gradio: $(STAMP) $(GRADIO)/.installed  ## a first visit to the board, beside a Gradio leaderboard (500 MB)
	$(BIN)/python -m tests.bench.gradio $(GRADIO)/bin/python

bench-inspect: $(STAMP) $(INSPECT)/.installed  ## a context of two million tokens, beside Inspect View (400 MB)
	$(BIN)/python -m tests.bench.inspect_view $(INSPECT)/bin/python

bench-lm-eval: $(STAMP) $(LM_EVAL)/.installed  ## an endpoint run, beside lm-evaluation-harness (800 MB)
	@$(BIN)/python -m compileall -q scoring  # as installed: a first run would compile its imports
	$(BIN)/python -m tests.bench.lm_eval $(LM_EVAL)/bin/python

bench-results: $(STAMP)  ## bytes and time of ENTRIES=10000 submissions (an hour, 30 GB below TMPDIR)
	$(BIN)/python -m tests.bench.results.bench $(ENTRIES)

bench-load: $(TESTED) $(LOAD)/.installed  ## 40 reads and one upload a second for five minutes (60 MB)
	$(BIN)/python -m tests.bench.load $(LOAD)/bin/locust

test-api: $(TESTED)  ## every address of the API, asked for much more than in the suite (some minutes)
	API_EXAMPLES=100 $(BIN)/python -m pytest tests/portal/api/test_conformance.py

$(FORMATS)/.wheels: requirements/every-eval-ever.txt $(FORMATS)/.installed
	@# It runs with any Python, but can be installed by 3.12 and newer only.
	@$(FORMATS)/bin/python -m pip download -qq --disable-pip-version-check --require-hashes --no-deps \
		--only-binary=:all: --python-version 3.12 -d $(FORMATS)/wheels -r requirements/every-eval-ever.txt
	@touch $@

test-formats: $(TESTED) $(FORMATS)/.wheels  ## the packages of other projects read our files (900 MB)
	FORMATS_PYTHON=$(CURDIR)/$(FORMATS)/bin/python EVERY_EVAL_EVER=$$(echo $(CURDIR)/$(FORMATS)/wheels/*.whl) \
		$(BIN)/python -m pytest tests/leaderboard/formats/with_packages.py

screens: $(TESTED)  ## a picture of every page, into build/screens
	$(BIN)/python -m tests.tools.screens build/screens

screens-docs: screens  ## the same, and renew the few that the documentation shows
	cd build/screens && cp $(notdir $(wildcard docs/screens/*.webp)) ../../docs/screens/

samples: $(SITE)  ## an example of each generated task, into build/samples.md
	@mkdir -p build
	$(BIN)/python -m tests.tools.release_samples build/samples.md

image:  ## the images of the site, the proxy, PostgreSQL and Redis (ENGINE, BASE, VERSION)
	@for target in site proxy database redis; do \
		echo "building the image of $$target …"; \
		$(ENGINE) build $(BUILD_FLAGS) --quiet --build-arg BASE=$(BASE) --target $$target \
			--tag localhost/infinitebench/$$target:$(VERSION) --file docker/Dockerfile . || exit; \
	done

image-test: $(TESTED)  ## build, run and test all of that with a browser, as root (8 minutes)
	$(BIN)/python -m pytest -p no:cacheprovider tests/image/walk.py tests/image/promises.py

operator-test: $(TESTED)  ## restore a site elsewhere and find planted faults, as root (15 minutes)
	$(BIN)/python -m tests.image.operator

fault-test: $(TESTED)  ## break each container under load, then a load of MINUTES=20, as root (45 minutes)
	$(BIN)/python -m tests.image.faults
	$(BIN)/python -m tests.image.scaling
	$(BIN)/python -m tests.image.soak --minutes $(MINUTES)
