/** Reads rows of a text with commas between cells: cells in quotes may hold commas, doubled quotes and line breaks.
    Returns `null` when it ends inside of quotes. */
export function readCells(text: string): string[][] | null {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let wasQuoted = false;
  let at = 0;
  const endRow = () => {
    row.push(wasQuoted ? cell : cell.trim());
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    cell = "";
    wasQuoted = false;
  };
  while (at < text.length) {
    const letter = text[at]!;
    if (letter === "\"" && !wasQuoted && cell.trim() === "") {
      cell = "";
      wasQuoted = true;
      for (;;) {
        const end = text.indexOf("\"", at + 1);
        if (end < 0) return null;
        cell += text.slice(at + 1, end);
        at = end;
        if (text[end + 1] !== "\"") break;
        cell += "\"";
        at++;
      }
    } else if (letter === ",") {
      row.push(wasQuoted ? cell : cell.trim());
      cell = "";
      wasQuoted = false;
    } else if (letter === "\n") {
      endRow();
    } else if (!wasQuoted || letter.trim() !== "") {
      cell += letter;
    }
    at++;
  }
  if (cell !== "" || wasQuoted || row.length) endRow();
  return rows;
}

const NAMES: { [name: string]: string } = { uid: "localId", localid: "localId", email: "email", mail: "email", name: "displayName",
  displayname: "displayName", phone: "phoneNumber", phonenumber: "phoneNumber", claims: "customAttributes" };

/** The columns of `firebase auth:export --format=csv`, which names none; and the first of the four of each provider.
    Versions of the command add columns at the end. */
const EXPORTED: readonly [number, string][] = [[0, "localId"], [1, "email"], [3, "passwordHash"], [4, "salt"], [5, "displayName"],
  [6, "photoUrl"], [23, "createdAt"], [24, "lastLoginAt"], [25, "phoneNumber"], [27, "customAttributes"]];
const EXPORTED_PROVIDERS: readonly [number, string][] = [[7, "google.com"], [11, "facebook.com"], [15, "twitter.com"], [19, "github.com"],
  [28, "apple.com"], [32, "microsoft.com"], [36, "gc.apple.com"], [40, "playgames.google.com"], [44, "linkedin.com"], [48, "yahoo.com"]];
const EXPORTED_MINIMUM = 25;

/** Reads accounts from a pasted text: JSON, a list or with a member `users`; lines below a line of names; or an export
    in CSV. */
export function readImport(text: string): { users: object[] } | { problem: string } {
  const trimmed = text.trim();
  if (!trimmed) return { problem: "Paste a list of accounts." };
  return /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromCells(trimmed);
}

function fromJson(text: string): { users: object[] } | { problem: string } {
  let json: any;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: "This is no JSON: " + (error as Error).message };
  }
  const users: unknown = Array.isArray(json) ? json : json.users;
  if (!Array.isArray(users)) return { problem: "The list is missing: [{…}] or {\"users\": [{…}]}." };
  const odd = users.findIndex(user => user === null || typeof user !== "object" || Array.isArray(user));
  return odd < 0 ? { users } : { problem: `Account ${odd + 1} of the list is no object.` };
}

function fromCells(text: string): { users: object[] } | { problem: string } {
  const rows = readCells(text);
  if (!rows) return { problem: "The text ends inside of quotes." };
  const [head, ...others] = rows;
  const names = head!.map(name => NAMES[name.toLowerCase()]);
  if (names.every(name => name)) return { users: others.map(row => members(row, names.map((name, at) => [at, name!]))) };
  if (head!.length < EXPORTED_MINIMUM) {
    const unknown = head!.find((_, at) => !names[at]);
    return { problem: `The first line names the columns: uid, email, name, phone, claims. ${unknown} is none.` };
  }
  const odd = rows.findIndex(row => row.length < EXPORTED_MINIMUM);
  if (odd >= 0) return { problem: `Row ${odd + 1} has ${rows[odd]!.length} columns; an export has at least ${EXPORTED_MINIMUM}.` };
  return { users: rows.map(exported) };
}

function exported(row: string[]): object {
  const providerUserInfo = EXPORTED_PROVIDERS.filter(([at]) => row[at]).map(([at, providerId]) =>
    ({ providerId, ...members(row, [[at, "rawId"], [at + 1, "email"], [at + 2, "displayName"], [at + 3, "photoUrl"]]) }));
  return { ...members(row, EXPORTED), ...(row[2] === "true" || row[2] === "false" ? { emailVerified: row[2] === "true" } : {}),
    ...(row[26] === "true" ? { disabled: true } : {}), providerUserInfo };
}

function members(row: string[], columns: readonly (readonly [number, string])[]): object {
  return Object.fromEntries(columns.filter(([at]) => row[at]).map(([at, name]) => [name, row[at]]));
}
