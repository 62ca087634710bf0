/** The server's record of the clients that were notified of a revocation. */
export interface Receipt {
  id: number;
  node?: string;
  database: string | null;
  cause: string;
  revocation?: { number: number; event: string; kind: string; uid?: string };
  position: number;
  time: number;
  signedOut: number;
  examined: number;
  kept: number;
  cancelled: number;
  sent: number;
  gone: number;
  late: number;
  isComplete: boolean;
  milliseconds?: { p50: number; p99: number; max: number };
  listeners: ReceiptListener[];
  listenersOmitted: number;
  /** The first of the listeners that continue; receipts of earlier versions name none. */
  keptListeners?: KeptListener[];
  unanswered?: string[];
}

export interface ReceiptListener {
  connection: string;
  path: string;
  uid?: string;
  node?: string;
  lastPosition: number;
  milliseconds?: number;
  outcome?: "gone" | "late";
}

export interface KeptListener {
  connection: string;
  path: string;
  uid?: string;
  node?: string;
  /** The rule that lets it continue; none for a client that rules do not apply to. */
  rule?: { kind: string; path: string; line: number; column: number; file?: string };
}

/** Returns the result in one line. */
export function headline(receipt: Receipt): string {
  const of = receipt.kept ? `${receipt.cancelled} of ${receipt.examined} listeners cut` : `${receipt.cancelled} ${receipt.cancelled === 1 ? "listener" : "listeners"} cut`;
  if (!receipt.examined && !receipt.signedOut) return "No client was connected.";
  if (!receipt.cancelled) return receipt.signedOut ? `${receipt.signedOut} signed out, no listener cut` : `No listener cut, ${receipt.kept} kept`;
  return receipt.milliseconds ? `${of}, the last after ${formatMilliseconds(receipt.milliseconds.max)}` : of;
}

/** Returns the outstanding notifications, or null when there are none. */
export function outstanding(receipt: Receipt): string | null {
  if (receipt.isComplete) return null;
  const nodes = receipt.unanswered ?? [];
  if (nodes.length) return `No answer from ${nodes.join(", ")}: what their clients were told is not known.`;
  const open = receipt.cancelled - receipt.sent - receipt.gone;
  return `${open} ${open === 1 ? "listener is" : "listeners are"} late: told nothing so far.`;
}

export function formatMilliseconds(value: number): string {
  return value < 10 ? value.toFixed(1) + " ms" : value < 10_000 ? Math.round(value) + " ms" : (value / 1000).toFixed(1) + " s";
}

/** Returns a round end of the scale that holds all times. */
export function scaleEnd(receipt: Receipt): number {
  const most = Math.max(receipt.milliseconds?.max ?? 0, 0.1);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 1.5, 2, 3, 5, 10].map(each => each * power).find(each => each >= most) ?? most;
}

/** Returns the number of listeners that were notified within each tenth of the scale. */
export function histogram(receipt: Receipt): number[] {
  const end = scaleEnd(receipt);
  const counts = new Array<number>(10).fill(0);
  for (const listener of receipt.listeners) {
    if (listener.milliseconds !== undefined) counts[Math.min(9, Math.floor(listener.milliseconds / end * 10))]!++;
  }
  return counts;
}

const EVENTS: { [event: string]: string } = {
  user_disable: "disabling", user_delete: "deleting", user_revoke: "signing out", token_revoked: "signing out",
};

export function causeText(receipt: Receipt): string {
  if (receipt.cause !== "revocation" || !receipt.revocation) return receipt.cause;
  const { event, uid } = receipt.revocation;
  return `${EVENTS[event] ?? event.replace(/_/g, " ")}${uid ? " " + uid : ""}`;
}
