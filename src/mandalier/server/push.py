"""Web push: a message to a browser that is not here (RFC 8030, 8188, 8291, 8292).

The browser's push service passes on what it cannot read: the text is encrypted for the browser, and
signed by the server's key (VAPID). What is hard about that, curves and ciphers, does the package
`cryptography` (``pip install mandalier[push]``); what is here is the order of the steps.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server.outgoing import target_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

RECORD_SIZE = 4096
LARGEST_TEXT = 3000
TOKEN_S = 12 * 3600
POINT_BYTES, AUTH_BYTES, SALT_BYTES = 65, 16, 16


class PushError(MandalierError):
    """A subscription that cannot be, or push where it is not installed."""


class Subscription(NamedTuple):
    """What a browser gives to be pushed to."""

    endpoint: str
    public: bytes
    auth: bytes


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def read_subscription(given: Any, allow_private: bool = False) -> Subscription:
    """A subscription as browsers write it: {"endpoint": …, "keys": {"p256dh": …, "auth": …}}."""
    wrong = PushError(say("this is no subscription of a browser"))
    try:
        endpoint, keys = given["endpoint"], given["keys"]
        made = Subscription(endpoint, unb64(keys["p256dh"]), unb64(keys["auth"]))
        _point(made.public)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise wrong from None
    if len(made.auth) != AUTH_BYTES:
        raise wrong
    target_of(endpoint, allow_private)
    return made


def _curves() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ec
    except ModuleNotFoundError:
        raise PushError(
            say("web push needs the package cryptography: pip install mandalier[push]")
        ) from None
    return ec


def _point(data: bytes) -> Any:
    ec = _curves()
    if len(data) != POINT_BYTES:
        raise ValueError("not a point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)


def new_key() -> str:
    """A key for VAPID, as text: the private number."""
    ec = _curves()
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return b64(number.to_bytes(32, "big"))


def read_key(text: str) -> EllipticCurvePrivateKey:
    ec = _curves()
    key: EllipticCurvePrivateKey = ec.derive_private_key(
        int.from_bytes(unb64(text), "big"), ec.SECP256R1()
    )
    return key


def public_of(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _expand(key: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF with one block of output (RFC 5869)."""
    inner = hmac.digest(salt, key, "sha256")
    return hmac.digest(inner, info + b"\x01", "sha256")[:length]


def encrypted(
    text: bytes,
    to: Subscription,
    own: EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """The body of a push message (RFC 8291); own key and salt are fresh but in tests."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(text) > LARGEST_TEXT:
        raise PushError(say("a push message has at most {n} bytes", n=LARGEST_TEXT))
    ec = _curves()
    own = own or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(SALT_BYTES)
    assert own is not None
    point = public_of(own)
    shared = own.exchange(ec.ECDH(), _point(to.public))
    key = _expand(shared, to.auth, b"WebPush: info\x00" + to.public + point, 32)
    content_key = _expand(key, salt, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _expand(key, salt, b"Content-Encoding: nonce\x00", 12)
    head = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(point)]) + point
    return head + AESGCM(content_key).encrypt(nonce, text + b"\x02", None)


def vapid(
    endpoint: str, contact: str, key: EllipticCurvePrivateKey, now: float | None = None
) -> str:
    """The header that says who pushes (RFC 8292)."""
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    ec = _curves()
    claims = {
        "aud": target_of(endpoint, allow_private=True).origin,
        "exp": int(time.time() if now is None else now) + TOKEN_S,
        "sub": contact,
    }
    parts = [
        b64(json.dumps(part, separators=(",", ":")).encode())
        for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    ]
    signed = ".".join(parts).encode()
    r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(SHA256())))
    parts.append(b64(r.to_bytes(32, "big") + s.to_bytes(32, "big")))
    return f"vapid t={'.'.join(parts)}, k={b64(public_of(key))}"


def headers_of(
    endpoint: str, contact: str, key: EllipticCurvePrivateKey, topic: str, ttl_s: int
) -> Mapping[str, str]:
    """The headers of a push message; a later message of the same topic replaces an earlier one."""
    return {
        "Authorization": vapid(endpoint, contact, key),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl_s),
        "Topic": b64(hashlib.sha256(topic.encode()).digest())[:32],
        "Urgency": "normal",
    }
