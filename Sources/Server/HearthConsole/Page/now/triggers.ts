import { Json } from "../tree/node";

export interface TriggerStatus {
  name: string;
  pause?: Json;
  status?: { waiting?: number; dead?: number; isUnreachable?: boolean; lastFailure?: string };
}

/** Returns the state of a trigger in a few words. */
export function triggerStatusText(trigger: TriggerStatus): string {
  const { waiting = 0, dead = 0, isUnreachable = false } = trigger.status ?? {};
  const parts = [trigger.pause ? "paused" : "", isUnreachable ? "unreachable" : "",
    waiting ? `${waiting.toLocaleString("en-US")} waiting` : "", dead ? `${dead.toLocaleString("en-US")} given up` : ""];
  return parts.filter(part => part).join(", ") || "well";
}

export function isTriggerHealthy(trigger: TriggerStatus): boolean {
  return !trigger.pause && !trigger.status?.isUnreachable && !trigger.status?.dead;
}
