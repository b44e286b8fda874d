"""The settings of text messages: gateway, countries and limits."""

from config.environment import env

SMS_URL: str = env("SMS_URL")
# Where codes are sent (ISO 3166 codes, `*` for everywhere); and a switch that stops all texts.
SMS_COUNTRIES: list[str] = env("SMS_COUNTRIES")
SMS_STOP: bool = env("SMS_STOP")
# Codes per hour and per day.
SMS_PER_NUMBER: list[int] = env("SMS_PER_NUMBER")
SMS_PER_NETWORK: list[int] = env("SMS_PER_NETWORK")
SMS_PER_COUNTRY: list[int] = env("SMS_PER_COUNTRY")
SMS_IN_ALL: list[int] = env("SMS_IN_ALL")
