"""Migrates users from a users table in PostgreSQL as they sign in: the table's password hashes are checked, and nothing is written
to it."""

import pathlib
import ssl
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).with_name("packages")))

import pg8000.native

from hashes import matches
from hearth_plugin import Plugin, Temporary, known, wrong

plugin = Plugin("postgres-passwords", "1.0.0", threads=4)
local = threading.local()


def connect(settings):
    where = {"unix_sock": settings["socket"]} if settings.get("socket") else {
        "host": settings["host"], "port": settings["port"],
        "ssl_context": ssl.create_default_context() if settings["tls"] else None}
    connection = pg8000.native.Connection(
        settings["user"], password=settings.get("password"), database=settings["database"], timeout=3,
        application_name="hearth", **where)
    connection.run("SET default_transaction_read_only = on")
    connection.run("SET statement_timeout = '3s'")
    return connection


def rows(settings, query, **values):
    """Returns the rows of a query. Values are sent as parameters, never as part of the text."""
    for attempt in range(2):
        try:
            if getattr(local, "connection", None) is None:
                local.connection = connect(settings)
            found = local.connection.run(query, **values)
            return [dict(zip((column["name"] for column in local.connection.columns), row)) for row in found]
        except (OSError, pg8000.native.InterfaceError) as error:
            # The connection may have been closed since it was last used.
            local.connection = None
            if attempt:
                raise Temporary(f"the database does not answer ({type(error).__name__})") from error


@plugin.hook("checkPassword")
def check_password(question, settings):
    email, password = question["email"], question["password"]
    if not 1 <= len(password) <= 4096 or len(email) > 255:
        return wrong()
    found = rows(settings, settings["query"], email=email)
    if len(found) != 1 or not found[0]["hash"]:
        # An unknown address takes the same work as a known one.
        for other in rows(settings, settings["anyHash"]):
            matches(password, other["hash"])
        return wrong()
    user = found[0]
    if not matches(password, user["hash"]):
        return wrong()
    return known(
        user["email"], uid=user["uid"], isEmailVerified=user["verified"], displayName=user["name"],
        customClaims=user.get("claims"))


plugin.run()
