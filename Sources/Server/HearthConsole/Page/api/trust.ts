import { ConsoleApi } from "./console";

/** A trusted Firebase project, which has an id, or another trusted issuer. */
export interface TrustedIssuer {
  id?: string;
  issuer?: string;
  audiences?: string[];
  uidPrefix?: string;
  keysURL?: string;
  /** The databases that its tokens open; all when absent. */
  databases?: string[];
}

/** The issuers whose ID tokens open databases. */
export interface Trust {
  firebaseProjects: TrustedIssuer[];
  issuers: TrustedIssuer[];
  /** The states of the regular lookups of users at their issuer. */
  userLookups: { issuer: string; users: number; succeededAt?: number; problem?: string }[];
}

export function listTrust(api: ConsoleApi): Promise<Trust> {
  return api.requestAdministration<Trust>("POST", "hearth/v1/trust:list", {});
}

/** Replaces the lists, and returns the new state. */
export function changeTrust(api: ConsoleApi, lists: Partial<Pick<Trust, "firebaseProjects" | "issuers">>): Promise<Trust> {
  return api.requestAdministration<Trust>("POST", "hearth/v1/trust:set", lists);
}
