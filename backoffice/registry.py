"""Register every model of the back office with its ModelAdmin."""

from importlib import import_module
from pkgutil import iter_modules

from backoffice import admin
from backoffice.admin.office import ADMINS as ADMINS
from backoffice.resource.catalog import CATALOG
from backoffice.site import office as office

for module in iter_modules(admin.__path__):
    import_module(f"{admin.__name__}.{module.name}")
for model in CATALOG:
    office.register(model, ADMINS[model])
