"""Every sign-in method with the unmodified web SDK, in Chromium: linking, second factors after each method, and tenants."""

from test_provider_configurations import log_in
from test_web_sign_in import agree
from websdk import sdk
from websdk.place import place, refuse, whole  # noqa: F401

NUMBER = "+4915112345678"


def asked_for_factor(answer):
    assert answer["error"] == "auth/multi-factor-auth-required", answer


def test_providers_are_linked_and_users_reauthenticated_by_redirect(place):  # noqa: F811
    sdk.needs_all(place.script)
    uid = place.account("ann@example.com")
    app = place.app()
    app.sign_in("ann@example.com")
    app.begin("firebase.linkWithRedirect(auth.currentUser, oidc)")
    refuse(app.page)
    assert app.redirected()["error"] == "auth/user-cancelled"
    app.begin("firebase.linkWithRedirect(auth.currentUser, oidc)")
    agree(app.page, "ann@corp.example")
    linked = app.redirected()
    assert (linked["uid"], linked["operation"], linked["providers"]) == (uid, "link", ["oidc.corp", "password"]), linked
    assert place.again(app.last("signInWithIdp")) == "INVALID_IDP_RESPONSE"
    for who, expected in (("ann@corp.example", uid), ("eve@corp.example", None)):
        app.begin("firebase.reauthenticateWithRedirect(auth.currentUser, oidc)")
        agree(app.page, who)
        proven = app.redirected()
        if expected:
            assert (proven["uid"], proven["operation"]) == (uid, "reauthenticate"), proven
        else:
            assert proven["error"] == "auth/user-mismatch", proven
    # The SAML provider, by popup and by redirect.
    log_in(app.popup("firebase.linkWithPopup(auth.currentUser, saml)"), "ann")
    linked = app.outcome()
    assert (linked["uid"], linked["providers"]) == (uid, ["oidc.corp", "password", "saml.corp"]), linked
    app.begin("firebase.reauthenticateWithRedirect(auth.currentUser, saml)")
    log_in(app.page, "ann")
    assert app.redirected()["operation"] == "reauthenticate"
    # An identity that is linked to another account.
    place.account("eve@example.com")
    app.sign_in("eve@example.com")
    app.begin("firebase.linkWithRedirect(auth.currentUser, oidc)")
    agree(app.page, "ann@corp.example")
    assert app.redirected()["error"] == "auth/credential-already-in-use"
    log_in(app.popup("firebase.linkWithPopup(auth.currentUser, saml)"), "ann")
    assert app.outcome()["error"] == "auth/credential-already-in-use"


def test_codes_of_an_authenticator_are_a_second_factor(place):  # noqa: F811
    sdk.needs_all(place.script)
    uid = place.account("tom@example.com")
    app = place.app()
    app.sign_in("tom@example.com")
    secret = app.enrol_totp()
    assert "otpauth://totp/" in app.page.evaluate("() => secret.generateQrCodeUrl('tom@example.com', 'Hearth')")
    app.sign_out()
    asked_for_factor(app.sign_in("tom@example.com"))
    assert app.run("resolve('000000')")["error"] == "auth/invalid-verification-code"
    code = app.totp(secret)
    entered = app.run(f"resolve('{code}')")
    assert (entered["uid"], entered["secondFactor"], entered["factors"]) == (uid, "totp", ["totp"]), entered
    # The sign-in can be resolved once, and the code is accepted once.
    assert place.again(app.last("mfaSignIn:finalize")) == "INVALID_MFA_PENDING_CREDENTIAL"
    app.sign_out()
    asked_for_factor(app.sign_in("tom@example.com"))
    assert app.run(f"resolve('{code}')")["error"] == "auth/invalid-verification-code"
    # A user who closes the page is not signed in, and must enter the password again.
    app.page.reload()
    assert app.page.evaluate("async () => { await auth.authStateReady(); return auth.currentUser; }") is None
    asked_for_factor(app.sign_in("tom@example.com"))
    assert app.run(f"resolve('{app.totp(secret)}')")["uid"] == uid
    asked_for_factor(app.run("firebase.reauthenticateWithCredential(auth.currentUser, "
                             "firebase.EmailAuthProvider.credential('tom@example.com', 'correct horse'))"))
    assert app.run(f"resolve('{app.totp(secret)}')")["operation"] == "reauthenticate"
    assert app.run("factors().unenroll(factors().enrolledFactors[0])") == {"nothing": True}
    app.sign_out()
    assert app.sign_in("tom@example.com")["factors"] == []


def test_a_second_factor_after_a_providers_page(place):  # noqa: F811
    sdk.needs_all(place.script)
    app = place.app()
    agree(app.popup("firebase.signInWithPopup(auth, oidc)"), "kim@corp.example")
    uid = app.outcome()["uid"]
    place.users("accounts:update", {"localId": uid, "emailVerified": True})
    secret = app.enrol_totp()
    # By popup, by redirect, and once more as a reauthentication.
    agree(app.popup("firebase.signInWithPopup(auth, oidc)"), "kim@corp.example")
    asked_for_factor(app.outcome())
    entered = app.run(f"resolve('{app.totp(secret)}')")
    assert (entered["uid"], entered["provider"], entered["secondFactor"]) == (uid, "oidc.corp", "totp"), entered
    app.sign_out()
    app.begin("firebase.signInWithRedirect(auth, oidc)")
    agree(app.page, "kim@corp.example")
    asked_for_factor(app.redirected())
    assert app.run(f"resolve('{app.totp(secret)}')")["uid"] == uid
    agree(app.popup("firebase.reauthenticateWithPopup(auth.currentUser, oidc)"), "kim@corp.example")
    asked_for_factor(app.outcome())
    assert app.run(f"resolve('{app.totp(secret)}')")["operation"] == "reauthenticate"
    # Users of the SAML provider have a phone as their second factor.
    other = place.app()
    log_in(other.popup("firebase.signInWithPopup(auth, saml)"), "bob")
    made = other.outcome()
    assert made.get("provider") == "saml.corp", made
    uid = made["uid"]
    place.users("accounts:update", {"localId": uid, "emailVerified": True, "mfa": {"enrollments": [
        {"phoneInfo": NUMBER, "displayName": "mine"}]}})
    log_in(other.popup("firebase.signInWithPopup(auth, saml)"), "bob")
    asked_for_factor(other.outcome())
    assert other.run("sendToHint()") == {"done": True}
    entered = other.run(f"resolve('{place.phone.code()}')")
    assert (entered["uid"], entered["provider"], entered["secondFactor"]) == (uid, "saml.corp", "phone"), entered
    assert place.again(other.last("mfaSignIn:finalize")) == "INVALID_MFA_PENDING_CREDENTIAL"


def test_users_of_a_tenant_sign_in_by_every_method(place):  # noqa: F811
    administrator = place.administrator
    tenant, other = administrator.tenant("acme"), administrator.tenant("globex")
    administrator.make_issuer(place.provider, tenant)
    administrator.make_company(place.company, tenant)
    app = place.app(tenant=tenant)
    agree(app.popup("firebase.signInWithPopup(auth, oidc)"), "tina@corp.example")
    first = app.outcome()
    assert (first["tenant"], first["claimedTenant"], first["providers"]) == (tenant, tenant, ["oidc.corp"]), first
    assert place.again(app.last("signInWithIdp")) == "INVALID_IDP_RESPONSE"
    app.begin("firebase.signInWithRedirect(auth, oidc)")
    agree(app.page, "tina@corp.example")
    assert app.redirected()["uid"] == first["uid"]
    agree(app.popup("firebase.reauthenticateWithPopup(auth.currentUser, oidc)"), "ulf@corp.example")
    assert app.outcome()["error"] == "auth/user-mismatch"
    refuse(app.popup("firebase.signInWithPopup(auth, saml)"))
    assert app.outcome()["error"] == "auth/user-cancelled"
    log_in(app.popup("firebase.signInWithPopup(auth, saml)"), "ann")
    entered = app.outcome()
    assert (entered["claimedTenant"], entered["provider"]) == (tenant, "saml.corp"), entered
    # The SAML provider belongs to this tenant alone, and so does the OpenID provider.
    stray = place.app(tenant=other)
    for provider in ("oidc", "saml"):
        stray.popup(f"firebase.signInWithPopup(auth, {provider})")
        assert stray.outcome()["error"] == "auth/operation-not-allowed"
    # The app changes its tenant while the user is on the provider's page.
    popup = app.popup("firebase.signInWithPopup(auth, oidc)")
    app.page.evaluate(f"() => {{ auth.tenantId = '{other}'; }}")
    agree(popup, "tina@corp.example")
    assert app.outcome()["error"] == "auth/tenant-id-mismatch"
    # The app names another tenant to the server.
    stray = place.app(tenant=tenant)
    stray.page.route("**/accounts:signInWithIdp*", lambda route: route.continue_(
        post_data=route.request.post_data.replace(tenant, other)))
    agree(stray.popup("firebase.signInWithPopup(auth, oidc)"), "tina@corp.example")
    assert stray.outcome()["error"] == "auth/tenant-id-mismatch"
    # Tenants do not support phone sign-in.
    assert app.run(f"begin('{NUMBER}')")["error"] == "auth/unsupported-tenant-operation"


def test_second_factors_and_passkeys_in_a_tenant(place):  # noqa: F811
    sdk.needs_all(place.script)
    tenant = place.administrator.tenant("initech")
    place.administrator.ask("PATCH", f"tenants/{tenant}", {"allowPasswordSignup": True}, updateMask="allowPasswordSignup")
    uid = place.account("ann@example.com", tenant)
    app = place.app(tenant=tenant)
    app.plug()
    app.sign_in("ann@example.com")
    assert app.run("addPasskey(auth.currentUser, 'Laptop')")["uid"] == uid
    app.sign_out()
    entered = app.run("signInWithTenantsPasskey()")
    assert (entered["uid"], entered["claimedTenant"], entered["provider"]) == (uid, tenant, "passkey"), entered
    app.page.evaluate("() => { auth.tenantId = null; }")
    assert "error" in app.run("signInWithPasskey(auth)")
    # Another page with the same storage: a user of the tenant is not a user of the project.
    app.page.evaluate(f"() => {{ auth.tenantId = '{tenant}'; }}")
    app.sign_in("ann@example.com")
    app.page.evaluate("() => { auth.tenantId = null; }")
    assert app.run("firebase.updateCurrentUser(auth, auth.currentUser)")["error"] == "auth/tenant-id-mismatch"
    app.page.evaluate(f"() => {{ auth.tenantId = '{tenant}'; }}")
    secret = app.enrol_totp()
    app.sign_out()
    asked_for_factor(app.sign_in("ann@example.com"))
    entered = app.run(f"resolve('{app.totp(secret)}')")
    assert (entered["uid"], entered["claimedTenant"], entered["secondFactor"]) == (uid, tenant, "totp"), entered
