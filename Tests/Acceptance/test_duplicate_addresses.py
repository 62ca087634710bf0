"""Several accounts with one e-mail address: with the setting on, each identity of a provider has its own account."""

import json
import urllib.parse

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials

from conftest import hearth
from identity import Identity, claims
from waits import WAIT_SECONDS

PROJECT = "demo-many"
RULES = '{"rules": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.token.email == \'ann@example.com\'"}}}'


class App(Identity):
    def by(self, provider, sub, email, proven=True, status=200, **more):
        token = json.dumps({"sub": sub, "email": email, "email_verified": proven})
        body = urllib.parse.urlencode({"id_token": token, "providerId": provider})
        return self.post("accounts:signInWithIdp", {
            "postBody": body, "requestUri": "http://localhost", "returnSecureToken": True, **more}, status)


def switch(server, is_on):
    answer = requests.patch(
        f"{server.url}/emulator/v1/projects/{PROJECT}/config", json={"signIn": {"allowDuplicateEmails": is_on}},
        timeout=WAIT_SECONDS)
    assert answer.status_code == 200 and answer.json()["signIn"] == {"allowDuplicateEmails": is_on}, answer.text


@pytest.fixture
def admin(serve, monkeypatch):
    server = serve("--emulator", "--project", PROJECT, command="dev", rules=RULES)
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", server.authority)
    app = firebase_admin.initialize_app(
        credentials.ApplicationDefault(), {"projectId": PROJECT}, name="duplicate-addresses")
    yield server, app
    firebase_admin.delete_app(app)


def test_each_identity_has_its_own_account_and_the_address_its_owner(admin):
    """The app has *create multiple accounts for each identity provider* on, and its server uses firebase-admin."""
    server, sdk = admin
    app = App(server)
    owner = app.sign_up("ann@example.com", "correct horse")
    switch(server, True)
    people = [app.by(provider, "7", "ann@example.com") for provider in ("google.com", "facebook.com", "saml.corp")]
    assert len({person["localId"] for person in people} | {owner["localId"]}) == 4
    for person in people:
        assert person["isNewUser"] and person["email"] == "ann@example.com" and "needConfirmation" not in person
        user = auth.get_user(person["localId"], app=sdk)
        assert user.email is None and [each.email for each in user.provider_data] == ["ann@example.com"]
        assert "email" not in claims(person["idToken"])
        # Rules that check the token's address must not see one that no provider has verified.
        place = f"{server.url}/{person['localId']}.json?ns={PROJECT}&auth={person['idToken']}"
        assert requests.put(place, data="1", timeout=WAIT_SECONDS).status_code == 401
    assert auth.get_user_by_email("ann@example.com", app=sdk).uid == owner["localId"]
    assert app.sign_in("ann@example.com", "correct horse")["localId"] == owner["localId"]
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.update_user(people[0]["localId"], email="ann@example.com", app=sdk)
    # The link that an administrator generates resets the password of the address's owner.
    link = auth.generate_password_reset_link("ann@example.com", app=sdk)
    assert "success" in requests.get(link + "&newPassword=another1", timeout=WAIT_SECONDS).json()["authEmulator"]
    assert app.sign_in("ann@example.com", "another1")["localId"] == owner["localId"]
    for person in people:
        assert app.refresh(person["refreshToken"])["user_id"] == person["localId"]

    switch(server, False)
    assert app.by("google.com", "7", "ann@example.com")["localId"] == people[0]["localId"]
    assert auth.get_user(people[0]["localId"], app=sdk).email is None
    assert app.by("google.com", "8", "ann@example.com", proven=False)["needConfirmation"]


def test_duplicate_addresses_are_set_by_the_file_and_exports_are_imported(serve, tmp_path):
    settings = tmp_path / "auth.json"
    settings.write_text('{ "signIn": { "password": true }, "allowsDuplicateEmails": true }')
    server = serve("--auth-config", str(settings), rules='{"rules":{}}')
    first = {"users": [
        {"localId": "owner", "email": "ann@example.com", "emailVerified": True, "rawPassword": "correct horse"},
        {"localId": "one", "providerUserInfo": [
            {"providerId": "google.com", "rawId": "1", "federatedId": "1", "email": "ann@example.com"}]},
        {"localId": "two", "email": "ann@example.com", "providerUserInfo": [
            {"providerId": "facebook.com", "rawId": "2", "federatedId": "2", "email": "ann@example.com"}]}]}
    export = tmp_path / "users.json"
    export.write_text(json.dumps(first))
    said = hearth("users", "import", str(export), "--data", str(server.data), expect=1)
    assert "import the user without email; providerUserInfo keeps the address" in said, said
    del first["users"][2]["email"]
    export.write_text(json.dumps({"users": first["users"][2:]}))
    server.run("users", "import", str(export))
    back = tmp_path / "back.json"
    server.run("users", "export", str(back))
    server.stop()
    server.start()
    assert Identity(server).sign_in("ann@example.com", "correct horse")["localId"] == "owner"

    other = serve("--auth-config", str(settings), name="other", rules='{"rules":{}}')
    other.run("users", "import", str(back))
    users = {user["localId"]: user for user in json.loads(other.run("users", "list", "--json"))}
    assert {uid: user.get("email") for uid, user in users.items()} == {
        "owner": "ann@example.com", "one": None, "two": None}
    assert [users[uid]["providerUserInfo"][0]["email"] for uid in ("one", "two")] == ["ann@example.com"] * 2
    assert Identity(other).sign_in("ann@example.com", "correct horse")["localId"] == "owner"
