import { Json } from "../tree/node";

const ORDERS: { [name: string]: string } = { orderByKey: ".key", orderByValue: ".value", orderByPriority: ".priority" };
const NAMES = [...Object.keys(ORDERS), "orderByChild", "startAt", "endAt", "equalTo", "limitToFirst", "limitToLast"];

/** Returns a query, written with the SDKs' names for its parts, as the protocol writes it; or the problem with it. */
export function parseQuery(text: string): { query: Json | null } | { problem: string } {
  if (!text.trim()) return { query: null };
  let asked: { [name: string]: Json };
  try {
    asked = JSON.parse(text);
  } catch (error) {
    return { problem: "This is no JSON: " + (error as Error).message };
  }
  if (typeof asked !== "object" || asked === null || Array.isArray(asked)) return { problem: 'An object, such as {"orderByKey": true, "limitToFirst": 10}.' };
  const unknown = Object.keys(asked).find(name => !NAMES.includes(name));
  if (unknown !== undefined) return { problem: `${unknown} is no part of a query: it has ${NAMES.join(", ")}.` };
  const orders = Object.keys(asked).filter(name => name.startsWith("orderBy"));
  if (orders.length > 1) return { problem: "A query has one order." };
  const query: { [name: string]: Json } = {};
  const order = orders[0];
  if (order === "orderByChild" && typeof asked[order] !== "string") return { problem: "orderByChild is the name of a child." };
  if (order !== undefined) query.i = order === "orderByChild" ? asked[order]! : ORDERS[order]!;
  if ("equalTo" in asked && ("startAt" in asked || "endAt" in asked)) return { problem: "equalTo stands for both ends." };
  if ("startAt" in asked || "equalTo" in asked) query.sp = asked.startAt ?? asked.equalTo ?? null;
  if ("endAt" in asked || "equalTo" in asked) query.ep = asked.endAt ?? asked.equalTo ?? null;
  if ("limitToFirst" in asked && "limitToLast" in asked) return { problem: "A query has one limit." };
  const limit = asked.limitToFirst ?? asked.limitToLast;
  if (limit !== undefined) {
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) return { problem: "A limit is a whole number above 0." };
    [query.l, query.vf] = [limit, "limitToFirst" in asked ? "l" : "r"];
  }
  return { query };
}

/** Returns the SDKs' form of a query, for a request that was refused. */
export function queryText(query: Json | undefined): string {
  if (typeof query !== "object" || query === null || Array.isArray(query)) return "";
  const { i, sp, ep, l, vf } = query as { [name: string]: Json };
  const asked: { [name: string]: Json } = {};
  if (typeof i === "string") {
    const name = Object.keys(ORDERS).find(each => ORDERS[each] === i);
    if (name) asked[name] = true;
    else asked.orderByChild = i;
  }
  if (sp !== undefined) asked.startAt = sp;
  if (ep !== undefined) asked.endAt = ep;
  if (l !== undefined) asked[vf === "r" ? "limitToLast" : "limitToFirst"] = l;
  return Object.keys(asked).length ? JSON.stringify(asked) : "";
}
