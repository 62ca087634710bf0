"""The project's configuration, which admin SDKs and deployment tools change while the server runs."""

import requests
from identity import HOST, Identity
from waits import WAIT_SECONDS

PASSWORD = "correct horse battery"


class Configuration:
    """An administrator's requests for one project's configuration."""

    def __init__(self, server, project, version="v2"):
        self.server, self.project, self.version = server, project, version
        self.token = server.run("token", "mint", "--admin").strip()

    def send(self, method, status=200, token=None, **options):
        answer = requests.request(
            method, f"{self.server.url}/{HOST}/{self.version}/projects/{self.project}/config",
            headers={"Authorization": f"Bearer {token or self.token}"}, timeout=WAIT_SECONDS, **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def change(self, mask, body, **options):
        return self.send("PATCH", params={"updateMask": mask}, json=body, **options)


def test_settings_take_effect_at_once_and_survive_a_restart(serve):
    """The requests of Node's `projectConfigManager().updateProjectConfig`: update masks with every leaf, and whole policies."""
    server = serve("--project", "shop", "--sign-in", "password", rules='{"rules":{}}')
    configuration, identity = Configuration(server, "shop"), Identity(server)
    identity.sign_up("old@example.com", PASSWORD)
    changed = configuration.change(
        "passwordPolicyConfig.passwordPolicyEnforcementState,passwordPolicyConfig.forceUpgradeOnSignin,"
        "passwordPolicyConfig.passwordPolicyVersions",
        {"passwordPolicyConfig": {
            "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": True,
            "passwordPolicyVersions": [{"customStrengthOptions": {
                "containsUppercaseCharacter": True, "containsLowercaseCharacter": False,
                "containsNumericCharacter": True, "containsNonAlphanumericCharacter": False,
                "minPasswordLength": 10, "maxPasswordLength": 200}}]}})
    assert changed["passwordPolicyConfig"]["passwordPolicyEnforcementState"] == "ENFORCE"
    weak = {"email": "new@example.com", "password": PASSWORD}
    error = identity.fail("accounts:signUp", weak, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    assert error["message"].endswith(
        "[Password must contain an upper case character, Password must contain a numeric character]")
    old = {"email": "old@example.com", "password": PASSWORD}
    identity.fail("accounts:signInWithPassword", old, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    identity.sign_up("new@example.com", "Correct Horse 4")
    told = requests.get(
        f"{server.url}/{HOST}/v2/passwordPolicy", params={"key": "demo-key"}, timeout=WAIT_SECONDS).json()
    assert told["customStrengthOptions"]["minPasswordLength"] == 10 and told["forceUpgradeOnSignin"] is True

    tool = Configuration(server, "shop", version="admin/v2")
    tool.send("PATCH", params={"update_mask": "authorizedDomains"}, json={"authorizedDomains": ["www.example.com"]})
    tool.change("client.permissions.disabledUserSignup", {"client": {"permissions": {"disabledUserSignup": True}}})
    identity.fail("accounts:signUp", {"email": "third@example.com", "password": "Correct Horse 4"},
                  "ADMIN_ONLY_OPERATION")
    before = configuration.send("GET")
    assert before["authorizedDomains"] == ["www.example.com"]

    server.stop()
    server.start()
    configuration = Configuration(server, "shop")
    assert configuration.send("GET") == before
    Identity(server).fail("accounts:signInWithPassword", old, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    reset = configuration.change("passwordPolicyConfig,client", {})
    assert reset["passwordPolicyConfig"]["passwordPolicyEnforcementState"] == "OFF"
    Identity(server).sign_in("old@example.com", PASSWORD)
    assert "passwordPolicy, by" in server.run("audit", "tail", "--json")


def test_only_administrators_change_settings_and_invalid_ones_are_refused(serve):
    server = serve("--project", "shop", "--sign-in", "password", rules='{"rules":{}}')
    configuration = Configuration(server, "shop")
    user = Identity(server).sign_up("ann@example.com", PASSWORD)["idToken"]
    privacy = {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}}
    for token in (user, "owner", "x"):
        configuration.change("emailPrivacyConfig", privacy, status=401, token=token)
    assert "under limits" in configuration.change("quota", {}, status=501)["error"]["message"]
    wrong = configuration.change("authorizedDomains", {"authorizedDomains": ["https://evil.example"]}, status=400)
    assert wrong["error"]["message"].startswith("INVALID_ARGUMENT : authorizedDomains: must be host names"), wrong
    assert configuration.send("GET")["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
