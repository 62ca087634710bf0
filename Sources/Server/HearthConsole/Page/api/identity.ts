import { Json } from "../tree/node";

/** What rules see as `auth`: the uid, and the claims as those of a token. Without claims these may be an empty text. */
export function authVariable(identity: { uid: string; claims: string }): { uid: string; provider: string; token: { [name: string]: Json } } {
  const claims = identity.claims.trim() ? JSON.parse(identity.claims) as { [name: string]: Json } : {};
  return { uid: identity.uid, provider: "custom", token: { ...claims, sub: identity.uid, user_id: identity.uid } };
}
