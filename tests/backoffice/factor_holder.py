"""Someone with second factors of each kind, to see what an act changes of them."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.roles import Role
from backoffice.services.staff_passkeys import (
    add_passkey,
    begin_new_passkey,
    begin_passkey_sign_in,
    check_passkey,
)
from backoffice.services.two_factor import begin_enrolment, new_recovery_codes
from core.clock import utc_now
from tests.backoffice.conftest import staff_as
from tests.customers.authenticator import VirtualAuthenticator
from tests.row_changes import World, rows_of

MINUTE = timedelta(minutes=1)
CHALLENGE = b"c" * 32


class Holder:
    """Someone with an authenticator, another that waits, recovery codes and two passkeys."""

    def __init__(self, name: str) -> None:
        self.at = utc_now()
        self.staff = staff_as(Role.SUPPORT, name)
        self.user = User.objects.get(pk=self.staff.user_id)
        begin_enrolment(self.user)
        wrong = {"throttling_failure_count": 1, "throttling_failure_timestamp": self.at - MINUTE}
        Authenticator.objects.filter(user=self.user).update(**wrong)
        self.confirmed = Authenticator.objects.get(user=self.user, confirmed=True)
        self.waiting = Authenticator.objects.get(user=self.user, confirmed=False)
        self.codes = new_recovery_codes(self.user)
        self.devices = [VirtualAuthenticator(counter=1), VirtualAuthenticator(counter=1)]
        self.passkeys = [self.add(device) for device in self.devices]

    def add(self, device: VirtualAuthenticator) -> StaffPasskey:
        options = begin_new_passkey(self.user, challenge=CHALLENGE)
        made = device.create(options)
        return add_passkey(
            self.user,
            staff=self.staff,
            credential=made,
            challenge=CHALLENGE,
            name="Key",
            now=self.at,
        )

    def sign(self, number: int = 0, challenge: bytes = CHALLENGE) -> StaffPasskey:
        options = begin_passkey_sign_in(self.user, challenge=challenge)
        signed = self.devices[number].get(options)
        return check_passkey(self.user, credential=signed, challenge=CHALLENGE, now=self.at)

    def rows(self) -> World:
        own = {"user": self.user}
        return rows_of(
            Authenticator.objects.filter(**own),
            StaticDevice.objects.filter(**own),
            StaticToken.objects.filter(device__user=self.user),
            StaffPasskey.objects.filter(**own),
        )


def code_of(device: Authenticator, at: datetime) -> str:
    totp = TOTP(device.key)
    totp.time = at.timestamp()
    return f"{totp.token():06d}"
