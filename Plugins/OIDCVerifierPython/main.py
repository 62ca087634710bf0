"""A verifier of tokens of an OpenID Connect issuer, such as a realm of Keycloak, for access to the database."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).with_name("packages")))

import jwt

from hearth_plugin import Plugin, rejected, verified
from keys import IssuerKeys

ALGORITHMS = {"RSA": "RS256", "EC": "ES256"}
# Roles that Keycloak gives to every user, which are left out of the claims.
DEFAULT_ROLES = ("offline_access", "uma_authorization", "default-roles-")

plugin = Plugin("oidc-verifier", "1.0.0", threads=32)
keys = IssuerKeys()


@plugin.hook("verifyToken")
def verify(question, settings):
    token, now = question["token"], question["nowSeconds"]
    try:
        header = jwt.get_unverified_header(token)
        unverified = jwt.decode(token, options={"verify_signature": False})
    except jwt.InvalidTokenError:
        return rejected()
    # Tokens of another issuer, or not for an API, are refused before the keys are fetched.
    if unverified.get("iss") != settings["issuer"] or header.get("alg") not in ALGORITHMS.values():
        return rejected()
    if str(header.get("typ", "JWT")).lower() not in ("jwt", "at+jwt") or "crit" in header:
        return rejected()
    key = keys.find(header.get("kid"), header["alg"], settings)
    if key is None:
        return rejected()
    try:
        # The times are checked below, by the server's clock.
        claims = jwt.decode(
            token, key, algorithms=[header["alg"]], issuer=settings["issuer"],
            options={"require": ["iss", "sub", "exp"], "verify_aud": False, "verify_exp": False, "verify_nbf": False,
                     "verify_iat": False})
    except jwt.InvalidTokenError:
        return rejected()
    if not is_for_us(claims, settings) or not is_started(claims, now):
        return rejected()
    if claims["exp"] <= now:
        return rejected("expired")
    return user(claims, settings, now)


def is_for_us(claims, settings):
    """Returns whether the token was issued to one of the configured clients, for use at an API."""
    audiences = claims.get("aud", [])
    audiences = [audiences] if isinstance(audiences, str) else audiences
    # Keycloak names the client in azp, and the APIs for which the token is valid in aud.
    parties = [claims["azp"]] if "azp" in claims else audiences
    wanted = settings["audiences"]
    return (
        any(party in settings["clients"] for party in parties)
        and (not wanted or any(audience in wanted for audience in audiences))
        and claims.get("typ", "Bearer") in ("Bearer", "ID")
        # A token about an event of a session, such as a logout token, is not an access token.
        and "events" not in claims)


def is_started(claims, now):
    """Returns whether the token is valid at that time; clocks may differ by a minute."""
    times = [claims["exp"], claims.get("nbf", 0), claims.get("iat", 0)]
    if any(isinstance(time, bool) or not isinstance(time, (int, float)) for time in times):
        return False
    return max(times[1:]) <= now + 60


def user(claims, settings, now):
    roles = claims.get("realm_access", {}).get("roles", [])
    wanted = settings["roles"] or [role for role in roles if not role.startswith(DEFAULT_ROLES)]
    more = {"roles": {role: True for role in roles if role in wanted}}
    if claims.get("preferred_username"):
        more["preferred_username"] = claims["preferred_username"]
    return verified(
        settings["uidPrefix"] + claims["sub"], signInProvider=settings["signInProvider"], claims=more,
        email=claims.get("email"), isEmailVerified=claims.get("email_verified") is True,
        issuedAtSeconds=int(claims["iat"]) if "iat" in claims else None, expiresAtSeconds=int(claims["exp"]),
        cacheSeconds=int(settings["cacheSeconds"]))


if __name__ == "__main__":
    plugin.run()
