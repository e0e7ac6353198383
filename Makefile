# Two commands for newcomers: `make demo` and `make test`. Both need Python 3.11 or newer and a package registry.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo face-demo people-demo test test-fast bench lint constraints clean

demo: $(VENV)/demo.installed  ## evaluate protection methods on the bundled faces and scenes and write the reports
	$(BIN)/unveil run configs/demo.yaml
	$(BIN)/unveil run configs/people-small.yaml

face-demo: $(VENV)/landmarks.installed  ## faces in depth: attributes, quality, focus, the strongest recognizer
	$(BIN)/unveil weights fetch face_landmarker.task
	$(BIN)/unveil run configs/face-analysis.yaml

people-demo: $(VENV)/demo.installed  ## seven methods on people in scenes, in three dimensions: about nine minutes
	$(BIN)/unveil run configs/people-demo.yaml

test: $(VENV)/test.installed  ## run every test
	$(BIN)/python -m pytest

test-fast: $(VENV)/test.installed  ## run the tests that take seconds
	$(BIN)/python -m pytest -m "not slow and not bench"

bench: $(VENV)/test.installed  ## print the ratios that README.md quotes
	$(BIN)/python benchmarks/embedding.py
	$(BIN)/python benchmarks/verification.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/cmmd.py
	$(BIN)/python benchmarks/people_methods.py
	$(BIN)/python benchmarks/attributes.py
	$(BIN)/python benchmarks/focus.py
	$(BIN)/python benchmarks/fid.py

lint: $(VENV)/test.installed
	$(INSTALL) --editable '.[dev]'
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy src/unveil

constraints: $(VENV)/test.installed  ## record the installed versions as the tested ones
	( sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu//' ) > constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) build src/*.egg-info

$(VENV)/python.ok:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and \
	f"unveil needs Python 3.11 or newer, {sys.executable} is {v[0]}.{v[1]}; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/demo.installed: $(VENV)/python.ok pyproject.toml constraints.txt
	$(INSTALL) torch
	$(INSTALL) --editable .
	touch $@

# mediapipe and deepface each bring an OpenCV of their own into the same folder; the last one installed is used.
$(VENV)/landmarks.installed: $(VENV)/demo.installed
	$(INSTALL) --editable '.[landmarks]'
	$(INSTALL) --force-reinstall --no-deps opencv-python-headless
	touch $@

$(VENV)/test.installed: $(VENV)/demo.installed
	$(INSTALL) --editable '.[test]'
	$(INSTALL) --force-reinstall --no-deps opencv-python-headless
	touch $@
