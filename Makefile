# What a developer does with this service. `make` alone lists it.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python config/local/packages.py

help:
	@echo "make run           run the service here: web server, worker, demo data"
	@echo "make demo          fill a test shop's month: SIZE=500 sales, through the services"
	@echo "make check         what a change needs before its commit, in half a minute"
	@echo "make test          check what a change needs, on SQLite and on PostgreSQL"
	@echo "make test-fast     the quick tests, three cases of each, on SQLite"
	@echo "make night         what the day leaves out, and what is drawn by chance, for hours; SEED=7 replays it"
	@echo "make coverage      count the branches that the tests take, by room; a quarter of an hour"
	@echo "make mutants       plant mistakes in the changed lines; name those that no test notices; SEED=7 samples all"
	@echo "make simulate      play weeks of payments, payouts and faults; SEED=7 STEPS=50000 WITHOUT=…"
	@echo "make audit         look the pinned packages up among known weaknesses; needs a network"
	@echo "make clients       lint the OpenAPI document; pay with four generated clients; needs a network"
	@echo "make released      enter the migrations of a release, which then never change"
	@echo "make faults        break the running service in every way at hand; SEED=7 MINUTES=10"
	@echo "make bench         measure the API beside its floor; needs wrk; some ten minutes"
	@echo "make system        install PostgreSQL, Redis, Chromium, Firefox and Node (Debian, Ubuntu)"
	@echo "make requirements  pin what pyproject.toml asks for; UPGRADE=--upgrade for the newest"

run: .venv/base var/development.env
	@$(BIN)/python -m config.local.serve

demo: .venv/base var/development.env
	@$(BIN)/python manage.py prepare
	@$(BIN)/python manage.py demo $(if $(SIZE),--size "$(SIZE)")

test: .venv/development
	@$(BIN)/python -m tests.run

check: .venv/development
	@$(BIN)/python -m tests.run --check

test-fast: .venv/development
	@$(BIN)/python -m tests.run --fast

night: .venv/development
	@SEED="$(SEED)" $(BIN)/python -m tests.run --night

audit: .venv/development
	@$(BIN)/python -m tests.advisories

mutants: .venv/development
	@$(BIN)/python -m $(if $(SEED),tests.mutant_groups --seed $(SEED),tests.mutants)

simulate: .venv/development
	@SIMULATION_SEED="$(SEED)" SIMULATION_STEPS="$(STEPS)" SIMULATION_WITHOUT="$(WITHOUT)" \
		$(BIN)/python -m pytest -q -n 0 --show-capture=no -k no_cent tests/simulation

faults: .venv/development
	@failed=0; for database in "" --embedded; do \
		$(BIN)/python -m bench.faults --seed $(or $(SEED),1) --minutes $(or $(MINUTES),2) $$database \
			|| failed=1; done; exit $$failed

coverage: .venv/development
	@$(BIN)/python -m tests.branches

clients: .venv/base
	@.ci/clients/check

bench: .venv/development
	@$(BIN)/python -m bench.api

released: .venv/development
	@$(BIN)/python -m tests.released_migrations

system:
	@sh .ci/system

requirements: .venv/development
	@sh requirements/compile

.venv/bin/python:
	@echo "Making .venv ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed.")'
	@$(PYTHON) -m venv .venv || (echo "On Debian and Ubuntu: apt install python3-venv"; false)

.venv/base: requirements/base.txt | .venv/bin/python
	@$(INSTALL) $<
	@touch $@

.venv/development: requirements/development.txt | .venv/bin/python
	@$(INSTALL) $<
	@touch $@ .venv/base

var/development.env: config/local/development.py config/secret_values.py | .venv/base
	@$(BIN)/python -m config.local.development
	@touch $@

# What broke off halfway is made anew the next time.
.DELETE_ON_ERROR:

.PHONY: help run demo clients check test test-fast night audit mutants simulate faults coverage released bench system requirements
