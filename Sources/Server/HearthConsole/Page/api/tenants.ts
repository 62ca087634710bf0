import { ConsoleApi } from "./console";

/** A part of the project with users of its own. */
export interface Tenant {
  /** Ends with its id. */
  name: string;
  displayName?: string;
  allowPasswordSignup?: boolean;
  enableEmailLinkSignin?: boolean;
  enableAnonymousUser?: boolean;
  disableAuth?: boolean;
}

export function idOf(tenant: Tenant): string {
  return tenant.name.slice(tenant.name.lastIndexOf("/") + 1);
}

/** A tenant's id in an address; empty for the project itself, and for a text that can be no id and would be another path. */
export function tenantIn(text: string | null): string {
  return text !== null && /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : "";
}

/** All that there are: a project has a thousand at most. */
export async function listTenants(api: ConsoleApi): Promise<Tenant[]> {
  return (await api.server<{ tenants?: Tenant[] }>("GET", "tenants?pageSize=1000")).tenants ?? [];
}

/** The ways in that are switched on, in words; custom tokens and other providers are always there. */
export function waysOf(tenant: Tenant): string {
  const ways = [...tenant.allowPasswordSignup ? ["password"] : [], ...tenant.enableEmailLinkSignin ? ["mail link"] : [],
    ...tenant.enableAnonymousUser ? ["anonymous"] : []];
  return ways.join(", ") || "providers alone";
}
