import { Json } from "../tree/node";
import { Query } from "../tree/order";

/** A message of the server, parsed. */
export type ServerMessage =
  | { type: "hello"; time: number }
  | { type: "pong" }
  | { type: "shutdown"; text: string }
  | { type: "reply"; request: number; status: string; data: Json }
  | { type: "data"; path: string; data: Json; tag: number | null }
  | { type: "merge"; path: string; data: { [path: string]: Json }; tag: number | null }
  | { type: "cancelled"; path: string; query: Query | null }
  | { type: "credentialEnded"; status: string }
  | { type: "other" };

export function readMessage(text: string): ServerMessage {
  const envelope = JSON.parse(text);
  const inner = envelope.d ?? {};
  if (envelope.t === "c") {
    switch (inner.t) {
      case "h": return { type: "hello", time: Number(inner.d?.ts) };
      case "o": return { type: "pong" };
      case "s": return { type: "shutdown", text: String(inner.d) };
      default: return { type: "other" };
    }
  }
  const body = inner.b ?? {};
  if (typeof inner.r === "number") return { type: "reply", request: inner.r, status: String(body.s), data: body.d ?? null };
  const tag = typeof body.t === "number" ? body.t : null;
  switch (inner.a) {
    case "d": return { type: "data", path: String(body.p), data: body.d ?? null, tag };
    case "m": return { type: "merge", path: String(body.p), data: body.d ?? {}, tag };
    case "c": return { type: "cancelled", path: String(body.p), query: body.q?.[0] ?? null };
    case "ac": return { type: "credentialEnded", status: String(body.s) };
    default: return { type: "other" };
  }
}

export function requestText(request: number, action: string, body: object): string {
  return JSON.stringify({ t: "d", d: { r: request, a: action, b: body } });
}

export const PING = '{"t":"c","d":{"t":"p","d":{}}}';
