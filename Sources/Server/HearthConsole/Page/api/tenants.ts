import { ConsoleApi } from "./console";

/** A part of the project with users of its own. */
export interface Tenant {
  /** The resource name, which ends with the tenant's id. */
  name: string;
  displayName?: string;
  allowPasswordSignup?: boolean;
  enableEmailLinkSignin?: boolean;
  enableAnonymousUser?: boolean;
  disableAuth?: boolean;
}

export function tenantId(tenant: Tenant): string {
  return tenant.name.slice(tenant.name.lastIndexOf("/") + 1);
}

/** Returns a tenant's id from an address; empty for the project itself, and for a text that can be no id and would be
    another path. */
export function tenantFromAddress(text: string | null): string {
  return text !== null && /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : "";
}

/** Returns all tenants: a project has a thousand at most. */
export async function listTenants(api: ConsoleApi): Promise<Tenant[]> {
  return (await api.requestAdministration<{ tenants?: Tenant[] }>("GET", "tenants?pageSize=1000")).tenants ?? [];
}

/** Returns the enabled sign-in methods in words; custom tokens and other providers are always enabled. */
export function signInMethodsOf(tenant: Tenant): string {
  const ways = [...tenant.allowPasswordSignup ? ["password"] : [], ...tenant.enableEmailLinkSignin ? ["mail link"] : [],
    ...tenant.enableAnonymousUser ? ["anonymous"] : []];
  return ways.join(", ") || "providers alone";
}
