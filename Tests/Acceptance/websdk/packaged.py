"""Unpacks the web SDK's own files from a Python package that is built with it.

The package's source map contains the complete, unchanged source of every SDK module that the package uses (Apache-2.0, as stated in
each file): popups, redirects, phone numbers. Modules that the package does not use are missing: resolving second factors, SAML's
own class, sign-up. A missing module is replaced by an empty one, whose exports are undefined. Constants that the SDK's compiler
inlines are not in a source map either; they are defined below."""

import json
import pathlib
import re
import zipfile

MAP = re.compile(r".*/main\.\w+\.js\.map")
SOURCE = re.compile(r"\.\./node_modules/@firebase/((?:app|auth|component|logger|util)/src/.+\.ts)")
IMPORT = re.compile(r"""(?:from|import) '(\.[^']*)'""")

# The exports of the packages; for auth, those that the source map contains.
EXPORTS = {
    "auth": [
        "core/index", "mfa/mfa_user", "platform_browser/index", "platform_browser/popup_redirect",
        "platform_browser/providers/phone", "platform_browser/recaptcha/recaptcha_verifier",
        "platform_browser/strategies/phone", "platform_browser/strategies/popup", "platform_browser/strategies/redirect"],
    "component": None, "logger": None, "util": None}
# Modules that only re-export others.
ENTRIES = {
    "auth/src/index": ["./core/index"], "auth/internal/index": ["../src/core/auth/auth_impl"],
    "auth/src/core/credentials/index": ["./auth_credential", "./email", "./oauth", "./phone"]}

PROVIDERS = {"FACEBOOK": "facebook.com", "GITHUB": "github.com", "GOOGLE": "google.com", "TWITTER": "twitter.com"}
CONSTANTS = {
    "component/src/types": {
        "ComponentType": {"PRIVATE": "PRIVATE", "PUBLIC": "PUBLIC", "VERSION": "VERSION"},
        "InstantiationMode": {"EAGER": "EAGER", "EXPLICIT": "EXPLICIT", "LAZY": "LAZY"}},
    "auth/src/model/enums": {
        "ProviderId": {
            **PROVIDERS, "ANONYMOUS": "anonymous", "CUSTOM": "custom", "FIREBASE": "firebase", "PASSWORD": "password",
            "PHONE": "phone"},
        "SignInMethod": {
            **PROVIDERS, "ANONYMOUS": "anonymous", "EMAIL_LINK": "emailLink", "EMAIL_PASSWORD": "password", "PHONE": "phone"},
        "OperationType": {"LINK": "link", "REAUTHENTICATE": "reauthenticate", "SIGN_IN": "signIn"}},
    "auth/src/model/popup_redirect": {
        "EventFilter": {"POPUP": 0, "REDIRECT": 1},
        "GapiOutcome": {"ACK": "ACK", "ERROR": "ERROR"},
        "AuthEventType": {
            "LINK_VIA_POPUP": "linkViaPopup", "LINK_VIA_REDIRECT": "linkViaRedirect", "REAUTH_VIA_POPUP": "reauthViaPopup",
            "REAUTH_VIA_REDIRECT": "reauthViaRedirect", "SIGN_IN_VIA_POPUP": "signInViaPopup",
            "SIGN_IN_VIA_REDIRECT": "signInViaRedirect", "UNKNOWN": "unknown", "VERIFY_APP": "verifyApp"}},
    "auth/src/model/public_types": {
        "FactorId": {"PHONE": "phone", "TOTP": "totp"},
        "ActionCodeOperation": {
            "EMAIL_SIGNIN": "EMAIL_SIGNIN", "PASSWORD_RESET": "PASSWORD_RESET", "RECOVER_EMAIL": "RECOVER_EMAIL",
            "REVERT_SECOND_FACTOR_ADDITION": "REVERT_SECOND_FACTOR_ADDITION",
            "VERIFY_AND_CHANGE_EMAIL": "VERIFY_AND_CHANGE_EMAIL", "VERIFY_EMAIL": "VERIFY_EMAIL"}},
    "auth/src/mfa/mfa_session": {"MultiFactorSessionType": {"ENROLL": "enroll", "SIGN_IN": "signin"}},
    "auth/src/platform_browser/messagechannel/index": {
        "_TimeoutDuration": {"ACK": 50, "COMPLETION": 3000, "LONG_ACK": 800},
        "_Status": {"ACK": "ack", "DONE": "done"},
        "_MessageError": {
            "CONNECTION_CLOSED": "connection_closed", "CONNECTION_UNAVAILABLE": "connection_unavailable",
            "INVALID_RESPONSE": "invalid_response", "TIMEOUT": "timeout", "UNKNOWN": "unknown_error",
            "UNSUPPORTED_EVENT": "unsupported_event"},
        "_EventType": {"KEY_CHANGED": "keyChanged", "PING": "ping"}}}


def unpack(wheel, folder):
    """Writes the packages of the SDK into a folder, laid out as in the SDK's repository."""
    with zipfile.ZipFile(wheel) as archive:
        source_map = json.loads(archive.read(next(name for name in archive.namelist() if MAP.fullmatch(name))))
        lock = json.loads(archive.read(next(name for name in archive.namelist() if name.endswith("/package-lock.json"))))
    for source, text in zip(source_map["sources"], source_map["sourcesContent"]):
        if found := SOURCE.fullmatch(source):
            write(folder / found[1], text)
    for name, enums in CONSTANTS.items():
        lines = [f"exports.{enum} = {json.dumps(values)};\n" for enum, values in enums.items()]
        write(folder / f"{name}.ts", "".join(lines))
    for package, modules in EXPORTS.items():
        source = folder / package / "src"
        modules = modules or sorted(str(path.relative_to(source).with_suffix("")) for path in source.rglob("*.ts"))
        write(folder / package / "index.ts", "".join(f"export * from './src/{module}';\n" for module in modules))
    for name, modules in ENTRIES.items():
        write(folder / f"{name}.ts", "".join(f"export * from '{module}';\n" for module in modules))
    fill(folder, {
        name.rsplit("/", 1)[-1]: package["version"] for name, package in lock["packages"].items() if "firebase" in name})


def fill(folder, versions):
    """Adds the imported files that are missing: empty modules, and the packages' descriptions."""
    for path in list(folder.rglob("*.ts")):
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            wanted = (path.parent / name).resolve()
            if name.endswith(".json"):
                # One file imports its neighbors by a path from the repository's root.
                parts = wanted.parts[wanted.parts.index("packages") + 1:] if "packages" in name else wanted.parts[-2:]
                package = parts[0]
                about = {"name": package if package == "firebase" else f"@firebase/{package}"}
                if package in versions:
                    about["version"] = versions[package]
                write(wanted, json.dumps(about))
            elif not any(each.exists() for each in (wanted.with_name(wanted.name + ".ts"), wanted / "index.ts")):
                write(wanted.with_name(wanted.name + ".ts"), "module.exports = {};\n")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")
