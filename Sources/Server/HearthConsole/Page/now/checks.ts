import { plural } from "../format/text";
import { formatCount } from "../format/number";
import { Finding } from "./finding";

/** The findings of `hearth doctor`, and the time of the check. */
export interface DoctorReport {
  /** False when the server has no such checks. */
  isSupported?: boolean;
  isRunning: boolean;
  at: number | null;
  problem: string | null;
  findings: { code: string; severity: "ok" | "notice" | "warning" | "error"; text: string; advice?: string }[];
}

export interface Backup {
  backup: string;
  kind: string;
  instant: number;
  keys: string;
  sizeBytes: number;
  databases: number;
}

export interface Backups {
  /** The folder of the last backup; `-` for a stream. */
  place: string | null;
  /** The reason why the console cannot make a backup. */
  reason: string | null;
  running: { since: number; done: number; count: number | null; name: string | null } | null;
  ended: { at: number; backup: string | null; problem: string | null } | null;
  backups: Backup[];
}

/** The codes of findings that the server's state reports as well, and more currently. */
const REPORTED_BY_STATE = new Set(["disk-full", "disk-low", "plugin-down", "storage-away", "write-disk-fault", "write-failed", "write-no-space", "write-storage-away"]);

/** Returns the findings that need attention, in the form of the state's own findings. */
export function doctorFindings(doctor: DoctorReport | null): Finding[] {
  return (doctor?.findings ?? []).filter(each => (each.severity === "warning" || each.severity === "error") && !REPORTED_BY_STATE.has(each.code))
    .map(each => ({ code: each.code, level: each.severity as "warning" | "error", subject: each.text, title: each.text, text: advice(each.advice) }));
}

/** Returns the beginning of a sentence: names of databases and commands keep their case. */
export function capitalized(text: string): string {
  return /^(hearth |\S+: )/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a clause as a sentence. */
function advice(text: string | undefined): string {
  if (!text || text.startsWith("hearth ")) return text ?? "";
  return capitalized(text) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Returns a summary such as `11 are well, 1 note`. */
export function checkSummary(doctor: DoctorReport): string {
  const count = (severity: string) => doctor.findings.filter(each => each.severity === severity).length;
  const notes = count("notice");
  return `${formatCount(count("ok"))} ${count("ok") === 1 ? "is" : "are"} well` + (notes ? `, ${formatCount(notes)} ${plural(notes, "note")}` : "");
}

/** Returns the progress of a backup in words. */
export function backupProgress(running: NonNullable<Backups["running"]>): string {
  if (running.count === null) return "looks for a moment at which all databases stand together";
  return `${formatCount(running.done)} of ${formatCount(running.count)} copied` + (running.name === null ? "" : `, now ${running.name}`);
}
