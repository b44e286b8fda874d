"""Fill in the bank holidays of the Bahamas for the years ahead; staff keep the list from there."""

from datetime import date, timedelta

from django.db import migrations

YEARS = range(2026, 2037)
FIXED = {(1, 1): "New Year's Day", (1, 10): "Majority Rule Day", (7, 10): "Independence Day"}
FRIDAY, MONDAY = 4, 0


def easter(year):
    """Easter Sunday of the Gregorian calendar (the anonymous computus)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return date(year, month, day + 1)


def nth(year, month, weekday, number):
    first = date(year, month, 1)
    return first + timedelta((weekday - first.weekday()) % 7 + 7 * (number - 1))


def on_weekday(day, taken):
    while day.weekday() > FRIDAY or day in taken:
        day += timedelta(1)
    return day


def holidays_of(year):
    sunday = easter(year)
    days = {
        sunday - timedelta(2): "Good Friday",
        sunday + timedelta(1): "Easter Monday",
        sunday + timedelta(50): "Whit Monday",
        nth(year, 6, FRIDAY, 1): "Randol Fawkes Labour Day",
        nth(year, 8, MONDAY, 1): "Emancipation Day",
        nth(year, 10, MONDAY, 2): "National Heroes Day",
    }
    for (month, day), name in FIXED.items():
        days[on_weekday(date(year, month, day), days)] = name
    for day, name in ((25, "Christmas Day"), (26, "Boxing Day")):
        days[on_weekday(date(year, 12, day), days)] = name
    return days


def fill(apps, schema_editor):
    holiday = apps.get_model("payouts", "BankHoliday")
    holiday.objects.bulk_create(
        holiday(date=day, name=name) for year in YEARS for day, name in holidays_of(year).items()
    )


class Migration(migrations.Migration):
    dependencies = [("payouts", "0001_initial")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
