import { jsonErrorPosition } from "./jsonErrorPosition";
import { compareKeys, problemOfKey } from "./keys";
import { Json, Scalar } from "./node";

/** The type of an editor's text. It is chosen, never guessed. */
export type EditType = "text" | "number" | "boolean" | "server" | "json";

export type Input = { value: Json } | { problem: string };

const DEPTH_MAXIMUM = 32;

export function readInput(type: EditType, text: string): Input {
  switch (type) {
    case "text": return { value: text };
    case "number": return readNumber(text);
    case "boolean": return { value: text === "true" };
    case "server": return readServerValue(text);
    case "json": return readJson(text);
  }
}

function readNumber(text: string): Input {
  const trimmed = text.trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)) return { problem: "This is not a number." };
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return { problem: "This number is too large." };
  if (/^[-+]?\d+$/.test(trimmed) && !Number.isSafeInteger(value)) {
    return { problem: "This whole number is beyond 9,007,199,254,740,991: the page would round it." };
  }
  return { value: value === 0 ? 0 : value };
}

/** Reads `timestamp`, or a number to add. */
function readServerValue(text: string): Input {
  if (text === "timestamp") return { value: { ".sv": "timestamp" } };
  const by = readNumber(text.replace(/^increment:?/, ""));
  return "problem" in by ? by : { value: { ".sv": { increment: by.value } } };
}

function readJson(text: string): Input {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: jsonProblem(text) };
  }
  const problem = problemIn(value, 1);
  return problem ? { problem } : { value };
}

function jsonProblem(text: string): string {
  if (text.trim() === "") return "Paste or type JSON.";
  const at = jsonErrorPosition(text);
  if (at >= text.trimEnd().length) return "This is not JSON: it ends too early.";
  const before = text.slice(0, at);
  return `This is not JSON: line ${before.split("\n").length}, character ${at - before.lastIndexOf("\n")}.`;
}

function problemIn(json: Json, depth: number): string | null {
  if (json === null || typeof json !== "object") return null;
  if (depth > DEPTH_MAXIMUM) return "Data is at most 32 levels deep.";
  for (const key of Object.keys(json)) {
    const isMeta = !Array.isArray(json) && [".value", ".priority", ".sv"].includes(key);
    const problem = isMeta ? null : problemOfKey(key);
    if (problem) return `${JSON.stringify(key).slice(0, 60)}: ${problem}`;
    const below = problemIn((json as { [key: string]: Json })[key]!, depth + 1);
    if (below && !isMeta) return below;
  }
  return null;
}

/** Returns the initial type for an existing value. */
export function editTypeOf(value: Scalar | null): EditType {
  return value === null ? "text" : typeof value === "string" ? "text" : (typeof value as "number" | "boolean");
}

/** Returns formatted JSON: keys in the order of the database, two spaces. */
export function jsonText(json: Json, indent = ""): string {
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  const below = indent + "  ";
  if (Array.isArray(json)) return json.length ? `[\n${json.map(each => below + jsonText(each, below)).join(",\n")}\n${indent}]` : "[]";
  const keys = Object.keys(json).sort(compareKeys);
  if (!keys.length) return "{}";
  return `{\n${keys.map(key => `${below}${JSON.stringify(key)}: ${jsonText(json[key]!, below)}`).join(",\n")}\n${indent}}`;
}
