"""Every setting of the service. Each comes from an environment variable or is a constant.

The variables and their defaults are in `config/environment.py`.
"""

import logging
from typing import Any
from urllib.parse import urlsplit

from django.conf import global_settings

from backoffice.theme import UNFOLD as UNFOLD
from config.databases import DATABASES as DATABASES
from config.databases import SHARED_COUNTS as SHARED_COUNTS
from config.environment import BASE_DIR, env, given
from config.logging import configure_structlog, logging_config
from config.reference_theme import THEMES as REFERENCE_THEMES
from config.rooms import *  # noqa: F403
from config.security import content_security_policy, transport
from config.staff_access import *  # noqa: F403
from config.text_messages import *  # noqa: F403

# The service

DEVELOPMENT_MODE: bool = env("DEVELOPMENT_MODE")
PORT: int = env("PORT")
BASE_URL: str = env("BASE_URL").rstrip("/") or f"http://localhost:{PORT}"
CHECKOUT_URL: str = env("CHECKOUT_URL").rstrip("/") or BASE_URL
SERVICE_NAME: str = env("SERVICE_NAME")
APP_SCHEME: str = env("APP_SCHEME")
DEFAULT_CURRENCY: str = env("DEFAULT_CURRENCY")
QR_PAYLOAD: str = env("QR_PAYLOAD")
REQUIRE_VERIFIED_MERCHANTS = given("REQUIRE_VERIFIED_MERCHANTS", default=not DEVELOPMENT_MODE)
RATE_LIMITS: bool = env("RATE_LIMITS")
# Limits per network for callers without a key: registrations per hour, CPU seconds per minute.
# 0: no limit, as in development, where callers need no key.
REGISTRATIONS_PER_NETWORK = given(
    "REGISTRATIONS_PER_NETWORK", default=0 if DEVELOPMENT_MODE else 30
)
# Live invoices per merchant in 24 hours. Limits the e-mails that a stolen live key can send.
INVOICES_PER_MERCHANT: int = env("INVOICES_PER_MERCHANT")
VISITOR_SECONDS_PER_NETWORK = given(
    "VISITOR_SECONDS_PER_NETWORK", default=0 if DEVELOPMENT_MODE else 6
)
WEB_THREADS: int = env("WEB_THREADS")
WEB_WORKERS: int = env("WEB_WORKERS")
TRUSTED_PROXIES: int = env("TRUSTED_PROXIES")

# Amounts in cents: more than PIN_ABOVE needs a PIN, more than PASSKEY_ABOVE a passkey.
PIN_ABOVE: int = env("PIN_ABOVE")
PASSKEY_ABOVE: int = env("PASSKEY_ABOVE")

# What a customer may pay in total before stronger verification: see `payments/risk.py`.
RISK_UNPROVEN_PAYMENTS: int = env("RISK_UNPROVEN_PAYMENTS")
RISK_UNPROVEN_AMOUNT: int = env("RISK_UNPROVEN_AMOUNT")
RISK_PIN_DAY_AMOUNT: int = env("RISK_PIN_DAY_AMOUNT")
RISK_NEW_PROOF_AMOUNT: int = env("RISK_NEW_PROOF_AMOUNT")
RISK_NEW_PROOF_HOURS: int = env("RISK_NEW_PROOF_HOURS")

WEBHOOK_ALLOW_PRIVATE = given("WEBHOOK_ALLOW_PRIVATE", default=DEVELOPMENT_MODE)
WEBHOOK_RETRY_SECONDS: list[int] = env("WEBHOOK_RETRY_SECONDS")
WEBHOOK_TIMEOUT_SECONDS: int = env("WEBHOOK_TIMEOUT_SECONDS")

# How long a process buffers openings of links and uses of keys before writing them; 0: not at all.
GATHER_SECONDS: int = env("GATHER_SECONDS")

# How far the clock of a process may be off the database's; beyond it, periodic work is refused.
CLOCK_TOLERANCE_SECONDS: int = env("CLOCK_TOLERANCE_SECONDS")

EMAIL_URL: str = env("EMAIL_URL")
vars().update(env.email_url_config(EMAIL_URL))
if EMAIL_URL.startswith("consolemail"):
    EMAIL_BACKEND = "config.mail.ConsoleBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL: str = env("MAIL_FROM") or f"payments@{urlsplit(BASE_URL).hostname}"
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# Where customers can write to us. If empty, no page mentions it.
SUPPORT_EMAIL: str = env("SUPPORT_EMAIL")

# The least that is paid out, in cents.
PAYOUT_MINIMUM: int = env("PAYOUT_MINIMUM")
# How long after a payout was paid the bank may still send it back.
PAYOUT_RETURN_DAYS: int = env("PAYOUT_RETURN_DAYS")
PAYOUT_PROVIDER: str = env("PAYOUT_PROVIDER")  # how live money leaves
# The account it leaves from, into which customers also pay.
PAYOUT_DEBTOR_NAME: str = env("PAYOUT_DEBTOR_NAME") or SERVICE_NAME
PAYOUT_DEBTOR_ACCOUNT: str = env("PAYOUT_DEBTOR_ACCOUNT")
PAYOUT_DEBTOR_BIC: str = env("PAYOUT_DEBTOR_BIC")
PAYOUT_DEBTOR_CLEARING_CODE: str = env("PAYOUT_DEBTOR_CLEARING_CODE")

FUNDING_PROVIDERS: list[str] = env("FUNDING_PROVIDERS")
FUNDING_BANK_NAME: str = env("FUNDING_BANK_NAME")
FUNDING_CASH_PLACE: str = env("FUNDING_CASH_PLACE")
FUNDING_DAY_AMOUNT: int = env("FUNDING_DAY_AMOUNT")
FUNDING_CASH_DAY_AMOUNT: int = env("FUNDING_CASH_DAY_AMOUNT")

# Secrets

SECRET_KEY: str = env("SECRET_KEY")
SECRET_KEY_FALLBACKS: list[str] = env("SECRET_KEY_FALLBACKS")
ENCRYPTION_KEY: str = env("ENCRYPTION_KEY")
BOUND_SECRETS_ONLY: bool = env("BOUND_SECRETS_ONLY")
PIN_PEPPER: str = env("PIN_PEPPER")
PIN_PEPPER_FALLBACKS: list[str] = env("PIN_PEPPER_FALLBACKS")
LEDGER_KEY: str = env("LEDGER_KEY")
CHECKPOINT_KEY: str = env("CHECKPOINT_KEY")
CHECKPOINT_WITNESSES: list[str] = env("CHECKPOINT_WITNESSES")
CHECKPOINT_BUCKET_KEY: str = env("CHECKPOINT_BUCKET_KEY")
CHECKPOINT_BUCKET_REGION: str = env("CHECKPOINT_BUCKET_REGION")
CHECKPOINT_BUCKET_DAYS: int = env("CHECKPOINT_BUCKET_DAYS")

# Django

DEBUG = False
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
FILE_UPLOAD_HANDLERS = ["config.uploads.BoundedUpload", *global_settings.FILE_UPLOAD_HANDLERS]
APPEND_SLASH = False

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "checkout" / "locale"]
LANGUAGES = [("en", "English"), ("es", "Español"), ("fr", "Français"), ("ht", "Kreyòl ayisyen")]

INSTALLED_APPS = [
    "config",
    "core",
    "messages",
    "ledger",
    "merchants",
    "webhooks",
    "customers",
    "links",
    "payments",
    "refunds",
    "payouts",
    "funding",
    "checkout",
    "backoffice",
    "sandbox",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_prometheus",
    # Both leave the admin site to backoffice/site.py.
    "unfold.apps.BasicAppConfig",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "axes",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

# The second answers `/v1` through API_MIDDLEWARE, the third customers' pages through a list of its
# own: the rest is for staff.
MIDDLEWARE = [
    "config.visitors.charge_visitors",
    "config.api.api_requests",
    "config.customer_pages.customer_pages",
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "core.middleware.instant",
    "core.middleware.request_id",
    "config.request_log.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFiles",
    "config.security.PolicyMiddleware",
    "config.security.admin_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "backoffice.middleware.staff_pages",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]

API_MIDDLEWARE = [
    "config.api_metrics.api_metrics",
    "core.middleware.instant",
    "core.middleware.request_id",
    "config.request_log.api_request_log",
    "config.security.ApiSecurityHeaders",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

STATIC_URL = "/static/"
STATIC_ROOT = None if DEVELOPMENT_MODE else BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "config.static_finder.ThemedAdminFinder",
]
_FILES = "django.contrib.staticfiles.storage.StaticFilesStorage"
_HASHED_FILES = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _FILES if DEVELOPMENT_MODE else _HASHED_FILES},
}
WHITENOISE_USE_FINDERS = DEVELOPMENT_MODE

# The API

REST_FRAMEWORK: dict[str, Any] = {
    # CallerViewSet, the base of all API views, sets its own: here it would be a circular import.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["core.json.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["core.json.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.json.AlwaysJSON",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "core.openapi.Schema",
    "EXCEPTION_HANDLER": "core.handler.handle_exception",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "TEST_REQUEST_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": f"{SERVICE_NAME} API",
    "VERSION": "1",
    "CONTACT": {"name": SERVICE_NAME, "url": BASE_URL},
    "LICENSE": {"name": "Proprietary", "identifier": "LicenseRef-Proprietary"},
    "OAS_VERSION": "3.1.1",
    "SERVERS": [{"url": BASE_URL}],
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": REFERENCE_HOOKS,  # noqa: F405
    "TAGS": REFERENCE_TAGS,  # noqa: F405
    "APPEND_COMPONENTS": {"securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}}},
    "REDOC_DIST": "SIDECAR",
    "REDOC_UI_SETTINGS": REFERENCE_THEMES,
}

# Security

_HTTPS = BASE_URL.startswith("https://")
vars().update(transport(https=_HTTPS, proxies=TRUSTED_PROXIES))
ADMIN_HOST: str = env("ADMIN_HOST")
ALLOWED_HOSTS = [
    *{urlsplit(BASE_URL).hostname, urlsplit(CHECKOUT_URL).hostname},
    *env("ALLOWED_HOSTS"),
    *([ADMIN_HOST.partition(":")[0]] if ADMIN_HOST else []),
    *(["localhost", "127.0.0.1", "[::1]"] if DEVELOPMENT_MODE else []),
]
CSRF_TRUSTED_ORIGINS = [BASE_URL, CHECKOUT_URL]
CONTENT_SECURITY_POLICY = content_security_policy()
SECURE_CONTENT_TYPE_NOSNIFF = True
# `no-referrer` would make browsers send `Origin: null` with our own forms, which CSRF refuses.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "backoffice.session_store"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "backoffice.csrf_failures.csrf_failure"

# Logs

configure_structlog()
LOGGING = logging_config(
    level=env("LOG_LEVEL"), form=env("LOG_FORMAT") or ("console" if DEVELOPMENT_MODE else "json")
)
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
