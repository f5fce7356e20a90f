# One private environment, made on demand; every other target uses it.
VENV := .venv
PYTHON ?= python3
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: demo test check metrics bench bench-full chaos docs lock minimum validate wheel clean

demo: $(READY)
	$(PY) -m bochner.cli.demo

# One BLAS thread for each of the two processes: threads that wait by spinning take the cores from each other. Neighbours
# stay with one process, so that what they share is made once, and the one that is done first takes over from the other.
# Modules are compiled once, whatever the user's setting: tests start dozens of processes that import them. scikit-learn
# skips its checks under array API dispatch where SciPy was imported without SCIPY_ARRAY_API.
PYTEST := PYTHONDONTWRITEBYTECODE= SCIPY_ARRAY_API=1 OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal

test: check
	$(PYTEST) -m "not slow"

check: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(MAKE) docs

# Code metrics against their limits; `$(PY) tools/metrics.py --list NAME` shows the places behind a measure.
metrics:
	$(PYTHON) tools/metrics.py

docs: $(READY)
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build/html

# The study (it goes on where an interrupted one was, and fails if a promise is refuted), then the slow tests.
validate: $(READY)
	$(PY) -m benchmarks.validity
	$(PYTEST) -m slow

# Kills, forged files, full disks, little memory, jumping clocks, threads and fuzzing: about an hour on two quiet cores. An
# interrupted run goes on where it was; it fails if a promise did not hold. Writes docs/robustness.md.
chaos: $(READY)
	-$(PY) -m pip install --quiet --group chaos
	$(PY) -m benchmarks.chaos

# The numbers of the README: about twenty minutes on two quiet cores.
bench: $(READY)
	$(PY) -m pip install --quiet --group bench
	$(PY) benchmarks/transform.py
	$(PY) benchmarks/ridge.py
	$(PY) benchmarks/memory.py
	$(PY) benchmarks/wide.py
	$(PY) benchmarks/table.py

# Every measurement of the documentation: some hours.
bench-full: $(READY)
	$(PY) -m pip install --quiet --group bench
	$(PY) benchmarks/transform.py
	$(PY) benchmarks/ridge.py
	$(PY) benchmarks/memory.py
	$(PY) benchmarks/wide.py
	$(PY) benchmarks/classifier.py
	$(PY) benchmarks/leverage.py
	$(PY) benchmarks/orbit.py
	$(PY) benchmarks/two_sample.py
	$(PY) benchmarks/streaming.py
	$(PY) benchmarks/cluster.py
	$(PY) benchmarks/accuracy.py
	$(PY) benchmarks/defaults.py
	$(PY) benchmarks/width.py
	$(PY) benchmarks/distance.py
	$(PY) benchmarks/exact_product.py
	$(PY) benchmarks/exact.py
	$(PY) benchmarks/exact_tables.py
	$(PY) benchmarks/exact_peers.py
	$(PY) benchmarks/landmarks.py
	$(PY) benchmarks/table.py
	$(PY) benchmarks/map_speed.py
	$(PY) benchmarks/maps.py
	$(PY) benchmarks/server.py

# The tests with the oldest dependencies that are allowed, in an environment of their own.
minimum:
	$(PYTHON) -m venv .venv-minimum
	.venv-minimum/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-minimum/bin/python -m pip install --quiet --editable ".[cli,io,lowdim,plot,report]" --group minimum -c constraints-minimum.txt
	OPENBLAS_NUM_THREADS=1 .venv-minimum/bin/python -m pytest -n 2 -m "not slow" tests/kernels tests/features tests/solvers tests/estimators tests/tables tests/cli

# A wheel, installed alone into an empty environment, learns from a table and predicts it.
wheel: $(READY)
	$(PY) -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv --clear .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet "$$(ls -t dist/*.whl | head -1)[cli]"
	cd .venv-wheel && printf 'a,b,y\n%s\n' "$$(seq 1 200 | awk '{print $$1 % 17 "," $$1 % 5 "," ($$1 % 17) * 0.7 - $$1 % 5}')" > t.csv \
	  && bin/bochner fit t.csv --target y --force && bin/bochner predict t.bochner t.csv --std | head -3

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade "pip>=25.1"
	$(PY) -m pip install --quiet --editable ".[all]" --group dev
	touch $@

# The newest versions of everything, as CI is to use them.
lock:
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-lock/bin/python -m pip install --quiet --editable ".[all]" --group dev
	(echo '# The versions that CI tests with, on Python 3.11: `make lock` writes them anew.'; \
	  .venv-lock/bin/python -m pip freeze --exclude-editable) > constraints-ci.txt

clean:
	rm -rf $(VENV) .venv-lock .venv-minimum .venv-wheel dist docs/_build docs/gallery docs/reference/generated .pytest_cache .mypy_cache .ruff_cache
