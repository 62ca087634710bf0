"""Stand-ins for an SMS gateway and for the verification service of a captcha."""

import json

from stand_in_server import StandInServer


class SMSGateway(StandInServer):
    """Accepts messages, or answers with the next status that a test has queued."""

    def __init__(self):
        self.messages, self.statuses, self.authorizations = [], [], set()
        super().__init__()
        self.url = f"{self.origin}/messages"

    def respond(self, request):
        body = json.loads(request.body())
        self.authorizations.add(request.headers["Authorization"])
        status = self.statuses.pop(0) if self.statuses else 202
        if status == 202:
            self.messages.append(body)
        request.reply(status=status, headers={"Location": "/elsewhere"} if status == 307 else {})


class CaptchaService(StandInServer):
    """Accepts each token that begins with `good`, but only once."""

    def __init__(self):
        self.asked, self.is_down = [], False
        self.hostname = "app.example.com"
        super().__init__()
        self.url = f"{self.origin}/siteverify"

    def respond(self, request):
        form = request.form()
        is_good = form["response"].startswith("good") and form not in self.asked
        self.asked.append(form)
        request.reply({"success": is_good, "hostname": self.hostname}, 500 if self.is_down else 200)
