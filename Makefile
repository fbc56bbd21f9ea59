# The line from photos to a measured server. Each stage reads the folder that the one before it wrote:
#
#   train --> runs/NAME --> export --> models/MODEL/VERSION --> serve --> :8500 :8501
#                                                          \--> compare --> results/RUN

PYTHON  ?= python3
# Photos in class folders, with or without train/ and validation/, or tfds:cats_vs_dogs; empty draws some.
DATA    ?=
# The run's name below runs/.
NAME    ?= $(if $(DATA),$(notdir $(patsubst %/,%,$(subst :,-,$(patsubst tfds:%,%,$(DATA))))),generated)
# The model that `make serve` serves: resnet18, resnet18-bf16, resnet18-int8.
MODEL   ?= resnet18
PORT      ?= 8500
REST_PORT ?= 8501
# 1 makes training and `make compare` short.
QUICK   ?=
# How long to train: full aims at accuracy, quick at minutes; drawn photos need no more than quick.
PRESET  ?= $(if $(and $(DATA),$(if $(filter-out 0,$(QUICK)),,full)),full,quick)
# More flags for a stage, as in TRAIN_FLAGS="--course 64x40 96x20"; `python -m training --help` lists them.
TRAIN_FLAGS ?=
EXPORT_FLAGS ?=
SERVE_FLAGS ?=
COMPARE_FLAGS ?=
BENCH_FLAGS ?=

VENV := .venv
PY   := $(VENV)/bin/python
RUN  := runs/$(NAME)
# What `make netron` opens: the newest version where none is named.
VERSION ?= $(lastword $(shell ls models/$(MODEL) 2>/dev/null | grep -x '[0-9]*' | sort -n))
VIEWED  = models/$(MODEL)/$(or $(VERSION),1)/saved_model.pb
# What the load test sends: photos that training has not learned from.
PHOTOS := $(firstword $(wildcard $(if $(DATA),$(DATA)/validation $(DATA))) $(RUN)/photos/validation)

# Nothing is written outside the clone: not Keras' settings, not matplotlib's fonts, no temporary file.
export TMPDIR         := $(shell mkdir -p $(CURDIR)/.cache/tmp && echo $(CURDIR)/.cache/tmp)
export TFDS_DATA_DIR  := $(CURDIR)/.cache/tfds
export KERAS_HOME     := $(CURDIR)/.cache/keras
export MPLCONFIGDIR   := $(CURDIR)/.cache/matplotlib
export UV_CACHE_DIR   := $(CURDIR)/.cache/uv
export PYTHONUNBUFFERED := 1
# TensorFlow leaves oneDNN off on CPUs without AVX-512 VNNI; training takes half as long with it there.
export TF_ENABLE_ONEDNN_OPTS ?= 1
export TF_CPP_MIN_LOG_LEVEL ?= 2

.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup train export serve compare bench-export bench-preprocess bench-train locust netron tensorboard claims check test test-torch lock clean exported FORCE

help: ## this list
	@echo "make WORD [DATA=photos/] [MODEL=resnet18-bf16] [QUICK=1]"
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/base ## make the virtual environment in .venv (every word does it when needed)

train: $(RUN)/model.keras ## train on DATA into runs/NAME; goes on where it was stopped

export: $(RUN)/model.keras ## write versions of models/resnet18, resnet18-bf16 and resnet18-int8
	$(PY) -m export --run_dir $(RUN) --models_dir models $(EXPORT_FLAGS)

serve: exported $(VENV)/base ## serve MODEL on PORT (gRPC) and REST_PORT until Ctrl-C
	$(PY) -m serving --model_name=$(MODEL) --model_base_path=$(CURDIR)/models/$(MODEL) \
	  --port=$(PORT) --rest_api_port=$(REST_PORT) --enable_batching $(SERVE_FLAGS)

compare: export ## load-test the eager baseline and the exported models; writes results/latest
	$(PY) -m loadtest --run_dir $(RUN) --models_dir models --results_dir results \
	  --photos $(PHOTOS) $(if $(filter-out 0,$(QUICK)),--quick) $(COMPARE_FLAGS)

bench-export: $(RUN)/model.keras ## all forms, the plain Keras export and eager Keras: latency, memory, agreement
	$(PY) -m export bench --run_dir $(RUN) $(BENCH_FLAGS)

bench-preprocess: $(VENV)/base ## table 6.1: photos to images, from a Python loop to a cached pipeline
bench-train: $(VENV)/base ## table 6.2: the training step, from eager to fused and bfloat16
bench-preprocess bench-train:
	$(PY) -m training.benchmark $(@:bench-%=%) $(if $(DATA),--data $(DATA)) $(BENCH_FLAGS)

locust: $(VENV)/base ## Locust's web page against a running server
	$(VENV)/bin/locust -f loadtest/locustfile.py --class-picker --web-host 127.0.0.1 --host http://127.0.0.1:$(REST_PORT)

netron: $(VENV)/view ## a model, as exported, in Netron's page until Ctrl-C; MODEL= [VERSION=]
	@test -f $(VIEWED) || { echo "make netron: no $(VIEWED): run 'make train export', or name MODEL= and VERSION=" >&2; exit 2; }
	$(VENV)/bin/netron --host 127.0.0.1 $(VIEWED)

tensorboard: $(VENV)/view ## the curves of runs/NAME in TensorBoard's page until Ctrl-C
	@test -d $(RUN)/tensorboard || { echo "make tensorboard: no $(RUN)/tensorboard: train first, or name another run with NAME=" >&2; exit 2; }
	$(VENV)/bin/tensorboard --host 127.0.0.1 --logdir $(RUN)/tensorboard

claims: $(VENV)/base ## try 74 claims about graph mode on this TensorFlow; writes docs/claims.md
	$(PY) -m graphmode claims --markdown docs/claims.md

check: $(VENV)/dev ## format, lint, types, and who may import whom
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(PY) -m graphmode lint training export graphmode serving --exclude graphmode/claims

test: $(VENV)/dev ## all tests
	$(PY) -m pytest

test-torch: $(VENV)/dev .venv-torch/torch ## check our network against torchvision's (downloads PyTorch, 3 GB)
	GRAPHSERVE_TORCH_PYTHON=$(CURDIR)/.venv-torch/bin/python $(PY) -m pytest tests/training/test_init_weights.py

.venv-torch/torch: requirements/torch.txt
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --quiet --no-cache-dir --require-hashes -r $<
	@touch $@

lock: $(VENV)/dev ## compile requirements/*.in into hash-pinned *.txt (needs uv)
	for set in base dev gpu tfds torch view; do \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" \
	    requirements/$$set.in --output-file requirements/$$set.txt || exit 1; done

clean: ## remove runs, models and results; the virtual environment stays
	rm -rf runs models results

exported:
	@ls -d models/$(MODEL)/[0-9]* >/dev/null 2>&1 || { \
	  echo "make serve: no version of $(MODEL) in models/$(MODEL): run 'make train export' first" >&2; exit 2; }

# Training flags that may differ from the finished run's are for the program to judge.
$(RUN)/model.keras: $(if $(TRAIN_FLAGS),FORCE) | $(VENV)/base $(if $(filter tfds:%,$(DATA)),$(VENV)/tfds)
	$(PY) -m training --preset $(PRESET) --run_dir $(RUN) $(if $(DATA),--data $(DATA)) $(TRAIN_FLAGS)

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "Python 3.11 to 3.13 is needed, '$(PYTHON)' is not: make PYTHON=python3.11 ..." >&2; exit 2; }
	@echo "making a virtual environment in $(VENV)" >&2
	@if command -v uv >/dev/null; then uv venv --quiet --allow-existing --python $(PYTHON) $(VENV); \
	  else $(PYTHON) -m venv $(VENV); fi
	@touch $@

# base, dev and view mark which set is installed.
$(VENV)/base $(VENV)/dev $(VENV)/tfds $(VENV)/view: $(VENV)/%: requirements/%.txt $(VENV)/python
	@echo "installing requirements/$*.txt$(if $(filter base dev,$*), (TensorFlow is 600 MB: a minute or more))" >&2
	@if command -v uv >/dev/null; then uv pip install --quiet --require-hashes --python $(PY) -r $<; \
	  else $(PY) -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes -r $<; fi
	@touch $@

FORCE:
