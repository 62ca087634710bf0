"""Sign-in with an LDAP directory: a user whose name and password the directory accepts in a bind is signed in, and groups become
claims."""

import pathlib
import ssl
import sys

sys.path.insert(0, str(pathlib.Path(__file__).with_name("packages")))

from hearth_plugin import Plugin, Temporary, refused
from ldap3 import NONE, SIMPLE, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException, LDAPSASLPrepError
from ldap3.utils.conv import escape_filter_chars

plugin = Plugin("ldap", "1.0.0", threads=16)


def connect(settings):
    """Returns a connection without a bind. Names and passwords are only sent over an encrypted connection."""
    url = settings["url"]
    scheme, _, authority = url.partition("://")
    if scheme not in ("ldap", "ldaps"):
        raise ValueError("url must begin with ldap:// or ldaps://")
    tls = Tls(validate=ssl.CERT_REQUIRED, ca_certs_data=settings.get("ca") or None)
    server = Server(
        f"{scheme}://{authority}", use_ssl=scheme == "ldaps", tls=tls, get_info=NONE, connect_timeout=3)
    connection = Connection(server, authentication=SIMPLE, receive_timeout=3, auto_referrals=False, raise_exceptions=False)
    connection.open()
    if scheme == "ldap" and settings["startTLS"] and not encrypts(connection):
        connection.unbind()
        raise Temporary("the directory does not encrypt the connection")
    return connection


def encrypts(connection):
    try:
        return connection.start_tls()
    except LDAPException:
        connection.unbind()
        raise


def bind(connection, name, password):
    """Returns whether the directory accepts the password. An empty password would be an unauthenticated bind, which directories
    accept."""
    try:
        return bool(name and password) and connection.rebind(user=name, password=password, authentication=SIMPLE)
    except LDAPSASLPrepError:
        # The text cannot be encoded as an LDAP password.
        return False


def search(connection, base, query, *attributes, limit=2):
    if not connection.search(base, query, SUBTREE, attributes=attributes, size_limit=limit, time_limit=3):
        # Result codes: 0 is success, 4 is more entries than the limit, 32 is no such object.
        if connection.result["result"] not in (0, 4, 32):
            raise Temporary(f"the directory does not search (result {connection.result['result']})")
    return [entry for entry in connection.response or [] if entry["type"] == "searchResEntry"]


def look_up(settings, name, password):
    """Returns the attributes and groups of the user with that name and password, or None."""
    connection = connect(settings)
    try:
        if settings.get("reader") and not bind(connection, settings["reader"], settings.get("readerPassword")):
            raise Temporary("the directory does not admit the reader")
        query = settings["userFilter"].replace("{}", escape_filter_chars(name))
        found = search(connection, settings["base"], query, settings["idAttribute"], "mail", "cn")
        if len(found) != 1:
            return None
        user, groups = found[0]["dn"], []
        if settings.get("groups"):
            query = settings["groupFilter"].replace("{}", escape_filter_chars(user))
            groups = search(connection, settings.get("groupBase") or settings["base"], query, "cn", limit=1000)
        if not bind(connection, user, password):
            return None
        return found[0]["attributes"], [name for group in groups for name in group["attributes"]["cn"]]
    finally:
        connection.unbind()


def first(values):
    values = values if isinstance(values, list) else [values]
    return values[0] if values else None


@plugin.hook("exchange")
def exchange(request, settings):
    if request["operation"] not in ("signIn", "link"):
        return refused("OPERATION_NOT_ALLOWED")
    name = request["parameters"].get("username", "")
    password = request["parameters"].get("password", "")
    # C libraries end a text at its first zero byte, so that a part of the password would be ignored.
    if not 1 <= len(name) <= 256 or not 1 <= len(password) <= 1024 or "\0" in name + password:
        return refused()
    try:
        found = look_up(settings, name, password)
    except (LDAPException, OSError) as error:
        raise Temporary(f"the directory does not answer ({type(error).__name__})") from error
    if found is None:
        return refused()
    attributes, groups = found
    claims = {}
    for group in groups:
        claims.update(settings["groups"].get(group, {}))
    identity = {"rawID": first(attributes[settings["idAttribute"]]), "isEmailVerified": False, "attributes": claims}
    for member, attribute in (("email", "mail"), ("displayName", "cn")):
        if first(attributes[attribute]):
            identity[member] = first(attributes[attribute])
    identity["isEmailVerified"] = "email" in identity and settings["trustsMail"]
    return {"identity": identity}


plugin.run()
