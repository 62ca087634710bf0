"""Checks password hashes of web frameworks: all formats of crypt(3), such as bcrypt, and Argon2, PBKDF2 and scrypt."""

import base64
import ctypes
import hashlib
import hmac

ARGON2_KINDS = {"argon2d": 0, "argon2i": 1, "argon2id": 2}


def matches(password, stored):
    """Returns whether the password matches the stored hash. Takes the same time for right and wrong passwords."""
    password = password.encode("utf-8", "surrogatepass")
    kind = stored.lstrip("$").replace(":", "$").split("$")[0]
    if kind in ARGON2_KINDS:
        library = ctypes.CDLL("libargon2.so.1")
        return library.argon2_verify(
            stored.encode(), password, ctypes.c_size_t(len(password)), ARGON2_KINDS[kind]) == 0
    if kind == "pbkdf2_sha256":  # Django: pbkdf2_sha256$600000$salt$base64
        _, rounds, salt, expected = stored.split("$")
        derived = hashlib.pbkdf2_hmac("sha256", password, salt.encode(), int(rounds))
        return hmac.compare_digest(base64.b64encode(derived), expected.encode())
    if kind == "scrypt":  # Werkzeug: scrypt:32768:8:1$salt$hexadecimal
        method, salt, expected = stored.split("$")
        n, r, p = (int(number) for number in method.split(":")[1:])
        derived = hashlib.scrypt(
            password, salt=salt.encode(), n=n, r=r, p=p, maxmem=256 * n * r * p, dklen=len(expected) // 2)
        return hmac.compare_digest(derived.hex().encode(), expected.encode())
    if not stored.startswith("$"):
        raise ValueError("a hash of a kind that is not known")
    # C ends a text at its first zero byte: the rest of the password would be ignored.
    return b"\0" not in password and hmac.compare_digest(crypt(password, stored.encode()), stored.encode())


def crypt(password, setting):
    """Returns the hash of crypt(3): $2a$, $2b$, $2y$, $5$, $6$, $y$, $1$."""
    library = ctypes.CDLL("libcrypt.so.1")
    library.crypt_rn.restype = ctypes.c_char_p
    buffer = ctypes.create_string_buffer(1 << 15)
    derived = library.crypt_rn(password, setting, buffer, ctypes.c_int(len(buffer)))
    if derived is None:
        raise ValueError("a hash of a kind that is not known")
    return derived
