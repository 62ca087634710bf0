"""Refused sign-ins by each method, with the unmodified web SDK in Chromium: closed and blocked windows, disabled accounts, expired
or reused responses, and unauthorized domains."""

from browser import CHROMIUM, picture
from test_provider_configurations import log_in
from test_web_sign_in import agree
from websdk import sdk
from websdk.place import AUTH, MILLISECONDS, SHOP, place, whole  # noqa: F401

NUMBER, OTHER = "+4915112345678", "+436641234567"
MINUTE = 60


def oidc(app, who, how="firebase.signInWithPopup(auth, oidc)"):
    agree(app.popup(how), who)
    return app.outcome()


def code_for(place, app, number):  # noqa: F811
    assert app.run(f"begin('{number}')") == {"done": True}
    return place.phone.code()


def test_closed_windows_are_reported(place):  # noqa: F811
    """Closes the window on each page that it may show, all at once, because the SDK waits eight seconds for each."""
    tenant = place.administrator.tenant("acme")
    place.administrator.make_issuer(place.provider, tenant)
    waiting = []
    for work, settings, field in (
        ("firebase.signInWithPopup(auth, oidc)", {}, "sub"),
        ("firebase.signInWithPopup(auth, saml)", {}, "who"),
        ("firebase.signInWithPopup(auth, oidc)", {"tenant": tenant}, "sub"),
        ("firebase.linkWithPopup(auth.currentUser, oidc)", {}, "sub"),
        ("firebase.reauthenticateWithPopup(auth.currentUser, oidc)", {}, "sub"),
    ):
        app = place.app(**settings)
        if "currentUser" in work:
            oidc(app, "cleo@corp.example")
        popup = app.popup(work)
        popup.wait_for_selector(f"input[name={field}]")
        popup.close()
        waiting.append(app)
    # A user who turns back before the provider's page is in the app, signed out as before.
    app = place.app()
    app.begin("firebase.signInWithRedirect(auth, oidc)")
    app.page.wait_for_selector("input[name=sub]")
    app.page.goto(app.url)
    assert app.run("getRedirectResult(auth)") == {"nothing": True}
    for app in waiting:
        assert app.outcome()["error"] == "auth/popup-closed-by-user"
    # An earlier attempt does not affect the next one.
    assert oidc(waiting[0], "cleo@corp.example")["email"] == "cleo@corp.example"


def test_blocked_windows_are_reported(place):  # noqa: F811
    strict = place.chromium.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", *place.arguments], ignore_default_args=["--disable-popup-blocking"])
    try:
        context = strict.new_context(ignore_https_errors=True)
        with context.expect_console_message(lambda said: said.text.startswith("at once "), timeout=2 * MILLISECONDS) as told:
            place.app(context=context, atOnce="firebase.signInWithPopup(auth, oidc)")
        assert "auth/popup-blocked" in told.value.text, told.value.text
    finally:
        strict.close()


def test_an_account_disabled_during_the_sign_in_is_refused(place):  # noqa: F811
    app = place.app()
    uid = oidc(app, "dora@corp.example")["uid"]
    popup = app.popup("firebase.signInWithPopup(auth, oidc)")
    place.disable(uid)
    agree(popup, "dora@corp.example")
    assert app.outcome()["error"] == "auth/user-disabled"
    place.disable(uid, is_disabled=False)
    app.begin("firebase.signInWithRedirect(auth, oidc)")
    app.page.wait_for_selector("input[name=sub]")
    place.disable(uid)
    agree(app.page, "dora@corp.example")
    assert app.redirected()["error"] == "auth/user-disabled"
    # Users of the SAML provider, and a phone number.
    app = place.app()
    popup = app.popup("firebase.signInWithPopup(auth, saml)")
    log_in(popup, "ann")
    uid = app.outcome()["uid"]
    popup = app.popup("firebase.signInWithPopup(auth, saml)")
    place.disable(uid)
    log_in(popup, "ann")
    assert app.outcome()["error"] == "auth/user-disabled"
    place.disable(uid, is_disabled=False)
    uid = app.run(f"confirmation.confirm('{code_for(place, app, NUMBER)}')")["uid"]
    code = code_for(place, app, NUMBER)
    place.disable(uid)
    assert app.run(f"confirmation.confirm('{code}')")["error"] == "auth/user-disabled"


def with_a_passkey(place, address):  # noqa: F811
    """Returns an app whose signed-in user has a passkey, and the user's uid."""
    uid = place.account(address)
    app = place.app()
    app.plug()
    app.sign_in(address)
    assert app.run("addPasskey(auth.currentUser, 'Laptop')")["uid"] == uid
    return app, uid


def test_an_account_disabled_before_the_second_factor_is_refused(place):  # noqa: F811
    sdk.needs_all(place.script)
    app, uid = with_a_passkey(place, "ines@example.com")
    secret = app.enrol_totp()
    app.sign_out()
    app.sign_in("ines@example.com")
    place.disable(uid)
    # Sign-ins in progress have ended, and new ones are refused with a reason.
    assert app.run(f"resolve('{app.totp(secret)}')")["error"] == "auth/invalid-multi-factor-session"
    assert app.sign_in("ines@example.com")["error"] == "auth/user-disabled"
    assert "USER_DISABLED" in str(app.run("signInWithPasskey(auth)")).upper().replace("-", "_")
    place.disable(uid, is_disabled=False)
    assert app.run("signInWithPasskey(auth)")["uid"] == uid
    # A user who is about to link a provider is signed out.
    popup = app.popup("firebase.linkWithPopup(auth.currentUser, oidc)")
    popup.wait_for_selector("input[name=sub]")
    place.disable(uid)
    agree(popup, "ines@corp.example")
    assert app.outcome()["error"] == "auth/user-disabled"


def test_a_method_switched_off_during_the_sign_in_is_refused(place):  # noqa: F811
    administrator = place.administrator
    app = place.app()
    for provider, path, go in (
        ("oidc", "oauthIdpConfigs/oidc.corp", lambda page: agree(page, "olga@corp.example")),
        ("saml", "inboundSamlConfigs/saml.corp", lambda page: log_in(page, "bob")),
    ):
        popup = app.popup(f"firebase.signInWithPopup(auth, {provider})")
        popup.wait_for_selector("input[name]")
        place.switch(path, False)
        go(popup)
        assert app.outcome()["error"] == "auth/operation-not-allowed", app.outcome()
    code = code_for(place, app, OTHER)
    change = {"signIn": {"phoneNumber": {"enabled": False}}}
    administrator.ask("PATCH", "config", change, updateMask="signIn.phoneNumber.enabled")
    assert app.run(f"confirmation.confirm('{code}')")["error"] == "auth/operation-not-allowed"
    assert app.run(f"begin('{OTHER}')")["error"] == "auth/operation-not-allowed"
    change["signIn"]["phoneNumber"]["enabled"] = True
    administrator.ask("PATCH", "config", change, updateMask="signIn.phoneNumber.enabled")
    # A disabled tenant.
    tenant = administrator.tenant("globex")
    administrator.make_issuer(place.provider, tenant)
    app = place.app(tenant=tenant)
    popup = app.popup("firebase.signInWithPopup(auth, oidc)")
    popup.wait_for_selector("input[name=sub]")
    administrator.ask("PATCH", f"tenants/{tenant}", {"disableAuth": True}, updateMask="disableAuth")
    agree(popup, "olga@corp.example")
    assert app.outcome()["error"] == "auth/project-disabled", app.outcome()
    popup = app.popup("firebase.signInWithPopup(auth, oidc)")
    popup.wait_for_selector("h1:has-text('not possible')")
    picture(popup, "tenant-closed")
    popup.close()


def test_expired_sign_ins_are_refused(place):  # noqa: F811
    app, waiting = place.app(), place.app()
    # On the SAML provider's page, on the OpenID provider's page, and on the redirect from there to the app.
    at_company = app.popup("firebase.signInWithPopup(auth, saml)")
    at_company.wait_for_selector("input[name=who]")
    at_provider = waiting.popup("firebase.signInWithPopup(auth, oidc)")
    at_provider.wait_for_selector("input[name=sub]")
    place.clock.set(11 * MINUTE)
    log_in(at_company, "ann")
    at_company.wait_for_selector("h1:has-text('took too long')")
    picture(at_company, "late")
    agree(at_provider, "lea@corp.example")
    at_provider.wait_for_selector("h1:has-text('took too long')")
    app = place.app()

    def later(route):
        place.clock.set(22 * MINUTE)
        route.continue_()

    app.page.route("**/accounts:signInWithIdp*", later)
    assert oidc(app, "lea@corp.example")["error"] == "auth/invalid-credential"
    code = code_for(place, app, NUMBER)
    place.clock.set(28 * MINUTE)
    assert app.run(f"confirmation.confirm('{code}')")["error"] == "auth/code-expired"


def test_expired_second_factor_challenges_are_refused(place):  # noqa: F811
    sdk.needs_all(place.script)
    app, uid = with_a_passkey(place, "lars@example.com")
    # An authenticator secret whose enrolment was not completed.
    secret = app.page.evaluate("() => makeSecret()")
    place.clock.set(20 * MINUTE)
    assert app.run(f"enrolTOTP('{app.totp(secret)}')")["error"] == "auth/requires-recent-login"
    app.sign_in("lars@example.com")
    assert app.run(f"enrolTOTP('{app.totp(secret)}')")["error"] == "auth/code-expired"
    secret = app.enrol_totp()
    app.sign_out()
    app.sign_in("lars@example.com")
    code = app.totp(secret)
    place.clock.set(32 * MINUTE)
    # A code of another time step, and a sign-in that waited too long for its code.
    refused = [app.run(f"resolve('{each}')")["error"] for each in (code, app.totp(secret))]
    assert refused == ["auth/invalid-multi-factor-session"] * 2, refused
    app.sign_in("lars@example.com")
    assert app.run(f"resolve('{code}')")["error"] == "auth/invalid-verification-code"
    assert app.run(f"resolve('{app.totp(secret)}')")["uid"] == uid
    app.sign_out()

    def later(route):
        place.clock.set(38 * MINUTE)
        route.continue_()

    app.page.route("**/accounts:signInWithIdp*", later)
    assert "challenge" in str(app.run("signInWithPasskey(auth)"))
    # A code sent to a phone.
    uid = place.account("rita@example.com")
    place.users("accounts:update", {"localId": uid, "mfa": {"enrollments": [{"phoneInfo": NUMBER, "displayName": "mine"}]}})
    app.sign_in("rita@example.com")
    assert app.run("sendToHint()") == {"done": True}
    code = place.phone.code()
    place.clock.set(44 * MINUTE)
    assert app.run(f"resolve('{code}')")["error"] == "auth/code-expired"


def test_reused_responses_are_refused(place):  # noqa: F811
    app = place.app()
    popup = app.popup("firebase.signInWithPopup(auth, oidc)")
    back = []
    popup.on("request", lambda request: back.append(request.url) if "state=" in request.url and AUTH in request.url else None)
    agree(popup, "rosa@corp.example")
    assert app.outcome()["providers"] == ["oidc.corp"]
    # The redirect to the server repeated, in the same browser.
    page = app.context.new_page()
    page.goto(back[-1])
    page.wait_for_selector("h1:has-text('not started here')")
    assert place.again(app.last("signInWithIdp")) == "INVALID_IDP_RESPONSE"
    # A SAML response.
    app = place.app()
    popup = app.popup("firebase.signInWithPopup(auth, saml)")
    forms = []
    popup.on("request", lambda request: forms.append(request.post_data) if request.method == "POST" and AUTH in request.url else None)
    log_in(popup, "ann")
    assert "uid" in app.outcome(), app.outcome()
    assert place.again(app.last("signInWithIdp")) == "INVALID_IDP_RESPONSE"
    page = app.context.new_page()
    page.goto(app.url)
    page.evaluate("""([action, body]) => {
        const form = Object.assign(document.createElement('form'), {action, method: 'post'});
        for (const [name, value] of new URLSearchParams(body)) {
            form.append(Object.assign(document.createElement('input'), {name, value, type: 'hidden'}));
        }
        document.body.append(form);
        form.submit();
    }""", [f"{AUTH}/__/auth/handler", forms[0]])
    page.wait_for_selector("h1:has-text('not started here')")
    # A code sent to a phone number.
    app = place.app()
    code = code_for(place, app, OTHER)
    assert app.run(f"confirmation.confirm('{code}')")["phoneNumber"] == OTHER
    assert place.again(app.last("signInWithPhoneNumber")) == "INVALID_SESSION_INFO"
    # The result of a redirect is given to the app once.
    app.begin("firebase.signInWithRedirect(auth, oidc)")
    agree(app.page, "rosa@corp.example")
    assert app.redirected()["operation"] == "signIn"
    assert place.again(app.last("signInWithIdp")) == "INVALID_IDP_RESPONSE"
    app.page.reload()
    assert app.run("getRedirectResult(auth)") == {"nothing": True}


def test_apps_of_unauthorized_domains_are_refused(place):  # noqa: F811
    # An app of an unauthorized site: popups return to it, but redirects find no result, because its frame has a storage of its own.
    shop = place.app(SHOP)
    assert oidc(shop, "sam@corp.example")["email"] == "sam@corp.example"
    log_in(shop.popup("firebase.signInWithPopup(auth, saml)"), "ann")
    assert "uid" in shop.outcome(), shop.outcome()
    shop.sign_out()
    shop.begin("firebase.signInWithRedirect(auth, oidc)")
    agree(shop.page, "sam@corp.example")
    assert shop.redirected() == {"nothing": True}
    # An app of an unknown API key or domain: its page gets no frame, so no popup is opened for it.
    evil = place.app("https://evil.example")
    assert evil.run("firebase.signInWithRedirect(auth, saml)")["error"] == "auth/unauthorized-domain"
    assert evil.run("firebase.signInWithPopup(auth, oidc)")["error"] == "auth/network-request-failed"
    assert len(evil.context.pages) == 1
