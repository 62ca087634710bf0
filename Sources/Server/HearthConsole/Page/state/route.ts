import { Path } from "../tree/keys";
import { End, Order, orderFrom, orderText } from "../tree/order";
import { ViewName, VIEWS } from "../views";

/** The view that the address names, and its parameters. */
export interface ViewAddress {
  view: ViewName;
  parts: string[];
  parameters: URLSearchParams;
}

export function readAddress(fragment: string): ViewAddress {
  const [address = "", query = ""] = fragment.replace(/^#/, "").split("?");
  const [first, ...parts] = address.split("/").filter(part => part !== "").map(decode);
  return { view: (VIEWS.find(view => view.path === first) ?? VIEWS[0]!).path, parts, parameters: new URLSearchParams(query) };
}

export function addressText(view: ViewName, parts: readonly string[] = [], asked = new URLSearchParams()): string {
  const query = asked.toString();
  return `#/${view}${parts.map(part => "/" + encodeURIComponent(part)).join("")}${query ? "?" + query : ""}`;
}

/** The identity that the data is viewed as: a signed-out client, or a user with uid and claims. */
export type Identity = { isSignedOut: true } | { uid: string; claims: string };

/** The contents of the address. It is in the fragment, which reaches no server, log or other page. */
export interface Route {
  view: "data";
  path: Path;
  order: Order | null;
  end: End | null;
  filter: string;
  as: Identity | null;
}

export function readRoute(fragment: string): Route {
  const [address = "", query = ""] = fragment.replace(/^#/, "").split("?");
  const parts = address.split("/").filter(part => part !== "");
  const asked = new URLSearchParams(query);
  const end = asked.get("end");
  const as = asked.get("as");
  return {
    view: "data",
    path: (parts[0] === "data" ? parts.slice(1) : []).map(decode),
    order: orderFrom(asked.get("order")),
    end: end === "first" || end === "last" ? end : null,
    filter: asked.get("filter") ?? "",
    as: as === null ? null : as === "" ? { isSignedOut: true } : { uid: as, claims: asked.get("claims") ?? "" },
  };
}

export function routeText(route: Route): string {
  const asked = new URLSearchParams();
  if (route.order) asked.set("order", orderText(route.order));
  if (route.end) asked.set("end", route.end);
  if (route.filter) asked.set("filter", route.filter);
  if (route.as) asked.set("as", "isSignedOut" in route.as ? "" : route.as.uid);
  if (route.as && !("isSignedOut" in route.as) && route.as.claims) asked.set("claims", route.as.claims);
  const query = asked.toString();
  return `#/data${route.path.map(key => "/" + encodeURIComponent(key)).join("")}${query ? "?" + query : ""}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
