"""Blocking functions of an app: they use an unmodified firebase-functions."""

from firebase_functions import https_fn, identity_fn


@identity_fn.before_user_created()
def created(event: identity_fn.AuthBlockingEvent) -> identity_fn.BeforeCreateResponse | None:
    email = event.data.email or ""
    if email.startswith("refused"):
        raise https_fn.HttpsError(code=https_fn.FunctionsErrorCode.PERMISSION_DENIED, message="no : evil")
    if email.startswith("plain"):
        return None
    if email.startswith("shut"):
        return identity_fn.BeforeCreateResponse(disabled=True)
    return identity_fn.BeforeCreateResponse(
        display_name=f"new {event.additional_user_info.provider_id}", photo_url="https://example.com/p.png",
        email_verified=True, custom_claims={"role": "member", "address": event.ip_address})


@identity_fn.before_user_signed_in()
def signed_in(event: identity_fn.AuthBlockingEvent) -> identity_fn.BeforeSignInResponse | None:
    email = event.data.email or ""
    if email.startswith("late"):
        raise https_fn.HttpsError(code=https_fn.FunctionsErrorCode.RESOURCE_EXHAUSTED, message="come back later")
    seen = {"claims": event.data.custom_claims, "name": event.data.display_name}
    return identity_fn.BeforeSignInResponse(session_claims={"seen": seen, "agent": event.user_agent[:20]})
