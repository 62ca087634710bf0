import { Person } from "./api";

const PROVIDERS: { [id: string]: string } = {
  password: "password", phone: "phone", anonymous: "anonymous", custom: "custom token", "google.com": "google", "apple.com": "apple",
  "facebook.com": "facebook", "github.com": "github", "twitter.com": "twitter", emailLink: "mail link",
};

/** Returns the name of an account in a list. */
export function nameOf(person: Person): string {
  return person.email ?? person.displayName ?? person.phoneNumber ?? (isAnonymous(person) ? "anonymous" : person.localId);
}

export function isAnonymous(person: Person): boolean {
  return !person.email && !person.phoneNumber && !person.customAuth && !(person.providerUserInfo ?? []).length;
}

export function providersOf(person: Person): string {
  const ids = (person.providerUserInfo ?? []).map(each => each.providerId === "password" && !person.passwordHash ? "emailLink" : each.providerId);
  if (person.customAuth) ids.push("custom");
  if (!ids.length) return isAnonymous(person) ? "anonymous" : "nothing yet";
  return [...new Set(ids)].map(id => PROVIDERS[id] ?? id).join(", ");
}

/** Returns the account's part of a token in rules: the custom claims, and the tenant. */
export function tokenClaims(person: Person, tenant: string): string {
  const claims = person.customAttributes ?? "";
  return tenant ? JSON.stringify({ ...JSON.parse(claims || "{}") as object, firebase: { tenant } }) : claims;
}

/** Returns claims in a few words: `role: editor`. */
export function claimsOf(person: Person): string {
  try {
    const claims = JSON.parse(person.customAttributes || "{}") as object;
    return Object.entries(claims).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  } catch {
    return "unreadable";
  }
}

/** Returns the time of the last activity, since 1970; null for never. */
export function lastSeenAt(person: Person): number | null {
  const times = [Number(person.lastLoginAt ?? 0), person.lastRefreshAt ? Date.parse(person.lastRefreshAt) : 0].filter(each => each > 0);
  return times.length ? Math.max(...times) : null;
}

/** The reserved names of tokens: a claim of that name is refused. */
const RESERVED = new Set(["acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti", "nbf",
  "nonce", "sub", "user_id"]);
const CLAIMS_BYTES_MAXIMUM = 1000;

/** Returns the problem of a text of claims, or null. */
export function problemOfClaims(text: string): string | null {
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch (error) {
    return "This is no JSON: " + (error as Error).message;
  }
  if (claims === null || typeof claims !== "object" || Array.isArray(claims)) return "Claims are an object: {\"role\": \"editor\"}.";
  const reserved = Object.keys(claims).find(name => RESERVED.has(name));
  if (reserved) return `${reserved} is a name that tokens use themselves.`;
  if (new TextEncoder().encode(JSON.stringify(claims)).length > CLAIMS_BYTES_MAXIMUM) return "Claims have at most 1,000 bytes: every token repeats them.";
  return null;
}

const EVENTS: { [event: string]: string } = {
  sign_up: "Signed up", sign_in_ok: "Signed in", sign_in_fail: "A sign-in failed", mfa_enroll: "Second factor added",
  mfa_withdraw: "Second factor removed", mfa_fail: "A second factor failed", token_refresh_fail: "A session could not go on",
  refresh_reuse: "An old token was shown again", password_change: "Password changed", email_change: "Mail address changed",
  reset_requested: "Password reset asked for", reset_done: "Password reset", code_issued: "Code sent", code_used: "Code used",
  passkey_enroll: "Passkey added", passkey_remove: "Passkey removed", passkey_fail: "A passkey was refused",
  code_failed: "A code failed", change_reverted: "Change taken back", provider_link: "Provider linked", provider_unlink: "Provider unlinked", profile_change: "Profile changed",
  user_disable: "Disabled", user_enable: "Enabled", user_delete: "Deleted", user_erase: "Erased", claims_change: "Claims changed",
  revoke: "Signed out everywhere", admin_api: "By an administrator", users_import: "Imported", users_export: "Exported",
  secret_used: "Secret used", key_rotate: "Key rotated", config_change: "Settings changed", console: "Console",
  console_refused: "Refused at the console", lockout: "Locked after failed sign-ins",
};

/** Returns an event of the audit trail in words. */
export function eventText(event: string): string {
  const text = EVENTS[event] ?? event.replace(/_/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
