# Each target sets up .venv from requirements.lock by itself; without make: python make.py TARGET
PYTHON ?= python3
TARGETS := lab test release bundle lite grade bench setup check mutants validation sync lock

.PHONY: help $(TARGETS)
help:
	@$(PYTHON) make.py --help
$(TARGETS):
	@$(PYTHON) make.py $@ $(ARGS)
