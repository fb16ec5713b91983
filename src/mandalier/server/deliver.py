"""The ways a notice can go: web push, e-mail, webhook. Each sends one notice, or raises.

All of it waits for other machines, so it runs in threads of its own, never where games are played.
"""

from __future__ import annotations

import hmac
import http.client
import json
import re
import smtplib
import ssl
import time
from collections.abc import Callable, Mapping
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, NamedTuple

from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server import outgoing, push
from mandalier.server.config import Notify

MAIL_TIMEOUT_S = 20.0
PUSH_TTL_S = 24 * 3600
ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}"
)
LONGEST_ADDRESS = 254
GONE = (404, 410)
UNFOLDED = policy.SMTP.clone(max_line_length=900)
"""Links in headers stay in one piece: folded, they would be encoded beyond recognition."""


class Notice(NamedTuple):
    """What is to be told: a line, where it leads, and the same as data for programs."""

    title: str
    text: str
    link: str
    data: Mapping[str, Any]


class Gone(Exception):
    """Nobody can be reached this way any more."""


class Failed(Exception):
    """It did not go this time; try again later."""


class Delivery:
    """Sends notices as the settings say."""

    def __init__(
        self,
        config: Notify,
        push_key: str = "",
        context: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self.config = config
        self.push_key = push_key
        self.context = context

    @property
    def ways(self) -> list[str]:
        """What is turned on."""
        on = {
            "push": self.config.push,
            "mail": bool(self.config.mail_server),
            "hook": self.config.webhooks,
        }
        return [way for way, is_on in on.items() if is_on]

    def check_address(self, way: str, address: Any) -> str:
        """The address in the form it is kept in. Raises MandalierError."""
        if way not in self.ways:
            raise MandalierError(say("this server does not send such notices"))
        if way == "push":
            made = push.read_subscription(address, self.config.allow_private)
            return json.dumps([made.endpoint, push.b64(made.public), push.b64(made.auth)])
        if way == "mail":
            right = isinstance(address, str) and len(address) <= LONGEST_ADDRESS
            if not right or not ADDRESS.fullmatch(address):
                raise MandalierError(say("this is no e-mail address"))
            return str(address)
        target = outgoing.target_of(address, self.config.allow_private)
        outgoing.resolve(target, self.config.allow_private)
        return str(address)

    def send(self, way: str, address: str, secret: str, notice: Notice, stop_link: str) -> None:
        """Send a notice now. Raises Gone or Failed."""
        try:
            if way == "mail":
                self._mail(address, notice, stop_link)
            elif way == "hook":
                self._hook(address, secret, notice)
            else:
                self._push(address, notice)
        except (OSError, smtplib.SMTPException, http.client.HTTPException, MandalierError) as error:
            raise Failed(f"{type(error).__name__}: {error}") from error

    def _mail(self, address: str, notice: Notice, stop_link: str) -> None:
        config = self.config
        message = EmailMessage(UNFOLDED)
        message["From"], message["To"] = config.mail_from, address
        message["Subject"] = notice.title
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(
            domain=config.mail_from.rpartition("@")[2] or "localhost"
        )
        message["Auto-Submitted"] = "auto-generated"
        text = f"{notice.text}\n\n{notice.link}\n"
        if stop_link:
            message["List-Unsubscribe"] = f"<{stop_link}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            text += "\n-- \n" + say("No more of these messages: {link}", link=stop_link) + "\n"
        message.set_content(text)
        host, _, port = config.mail_server.partition(":")
        usual = {"tls": 465, "starttls": 587, "none": 25}[config.mail_security]
        number = int(port) if port.isdecimal() else usual
        if config.mail_security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                host, number, timeout=MAIL_TIMEOUT_S, context=self.context()
            )
        else:
            server = smtplib.SMTP(host, number, timeout=MAIL_TIMEOUT_S)
        with server:
            if config.mail_security == "starttls":
                server.starttls(context=self.context())
            if config.mail_user:
                server.login(config.mail_user, config.mail_password)
            try:
                server.send_message(message)
            except smtplib.SMTPRecipientsRefused as error:
                codes = [code for code, _ in error.recipients.values()]
                if all(500 <= code < 600 for code in codes):
                    raise Gone from None
                raise

    def _hook(self, address: str, secret: str, notice: Notice) -> None:
        body = json.dumps(
            {"title": notice.title, "text": notice.text, "link": notice.link, **notice.data},
            ensure_ascii=False,
        ).encode()
        headers = {
            "Content-Type": "application/json",
            "Mandalier-Signature": signature(secret, body, int(time.time())),
        }
        self._post(address, headers, body)

    def _push(self, address: str, notice: Notice) -> None:
        endpoint, public, auth = json.loads(address)
        to = push.Subscription(endpoint, push.unb64(public), push.unb64(auth))
        text = json.dumps(
            {"title": notice.title, "text": notice.text, "link": notice.link}, ensure_ascii=False
        ).encode()
        key = push.read_key(self.push_key)
        headers = push.headers_of(endpoint, self.config.push_contact, key, notice.link, PUSH_TTL_S)
        self._post(endpoint, headers, push.encrypted(text, to))

    def _post(self, address: str, headers: Mapping[str, str], body: bytes) -> None:
        status = outgoing.post(
            address,
            headers,
            body,
            allow_private=self.config.allow_private,
            context=self.context,
        )
        if status in GONE:
            raise Gone
        if not 200 <= status < 300:
            raise Failed(f"answered {status}")


def signature(secret: str, body: bytes, at: int) -> str:
    """What a webhook can check: ``t=TIME,v1=HMAC``, the HMAC-SHA-256 with the secret of the time in
    seconds, a full stop, and the body."""
    made = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return f"t={at},v1={made}"
