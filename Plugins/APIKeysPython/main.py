"""API keys for machines: a client that sends a key signs in as the account that the key belongs to."""

import hashlib
import hmac

from hearth_plugin import Plugin, refused

plugin = Plugin("api-keys", "1.0.0")


@plugin.hook("exchange")
def exchange(request, settings):
    if request["operation"] != "signIn":
        return refused("OPERATION_NOT_ALLOWED")
    key = request["parameters"].get("key", "")
    if not 32 <= len(key) <= 256:
        return refused()
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    uid = None
    for known, owner in settings["keys"].items():
        # Every stored digest is compared, in constant time, so that the duration reveals nothing about the stored digests.
        if hmac.compare_digest(known.encode(), digest.encode()):
            uid = owner
    return {"user": {"uid": uid, "claims": {"machine": True}}} if uid else refused()


plugin.run()
