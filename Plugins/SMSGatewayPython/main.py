"""Sends text messages through a gateway with an HTTP API."""

import json
import urllib.error
import urllib.request

from hearth_plugin import Plugin, Temporary

TIMEOUT_SECONDS = 8

plugin = Plugin("sms-gateway", "1.0.0")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: a message is only sent to the gateway that the operator configured."""

    def redirect_request(self, *arguments):
        return None


opener = urllib.request.build_opener(NoRedirect())


@plugin.hook("sendSMS")
def send(message, settings):
    names = settings["names"]
    body = {names["to"]: message["to"], names["text"]: message["text"]}
    if settings.get("sender"):
        body[names["from"]] = settings["sender"]
    url = settings["url"]
    if not url.startswith(("https://", "http://")):
        raise ValueError
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST", headers={
        "Content-Type": "application/json", "Authorization": settings["scheme"] + " " + settings["token"]})
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS):
            return {"sent": True}
    except urllib.error.HTTPError as error:
        # The response of the gateway is not reported: it may contain the phone number.
        if error.code in (408, 425, 429) or error.code >= 500:
            raise Temporary(f"the gateway returned status {error.code}") from None
        raise Refused from None
    except OSError:
        raise Temporary("the gateway cannot be reached") from None


class Refused(Exception):
    """Raised when the gateway refuses the message for good."""


plugin.run()
