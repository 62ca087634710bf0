const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const yearFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Returns the time of day. */
export function timeOfDay(at: number): string {
  return clockFormat.format(at);
}

/** Returns the shortest unambiguous time: the time for today, the day and time for this year, else the date. */
export function shortTime(at: number, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  if (then.toDateString() === today.toDateString()) return timeOfDay(at);
  return then.getFullYear() === today.getFullYear() ? dayFormat.format(at).replace(",", "") : yearFormat.format(at);
}

/** Returns the full time, with milliseconds and zone, for tooltips. */
export function fullTime(at: number): string {
  const date = new Date(at);
  const pad = (value: number, digits = 2) => String(Math.abs(value)).padStart(digits, "0");
  const offset = -date.getTimezoneOffset();
  const zone = (offset < 0 ? "-" : "+") + pad(Math.trunc(offset / 60)) + ":" + pad(offset % 60);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ` +
    `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)} ${zone}`;
}

/** Returns a period in words: `a second`, `40 seconds`, `4 minutes`, `2 hours`. */
export function periodText(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds === 1) return "a second";
  if (seconds < 100) return seconds + " seconds";
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? minutes + " minutes" : Math.round(minutes / 60) + " hours";
}

/** Returns a remaining time: `7 h 42 min`, `12 min`, `48 s`. */
export function duration(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  if (left < 60) return left + " s";
  const minutes = Math.floor(left / 60);
  return minutes < 60 ? minutes + " min" : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
