import { Json } from "../tree/node";

/** Returns the value of `auth` in rules: the uid, and the claims as those of a token. The claims may be an empty text.
    */
export function authVariable(identity: { uid: string; claims: string }): { uid: string; provider: string; token: { [name: string]: Json } } {
  const claims = identity.claims.trim() ? JSON.parse(identity.claims) as { [name: string]: Json } : {};
  return { uid: identity.uid, provider: "custom", token: { ...claims, sub: identity.uid, user_id: identity.uid } };
}
