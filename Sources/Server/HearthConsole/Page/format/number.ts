const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Returns a number with commas. */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** Returns a size with its unit, with two or three digits. */
export function formatBytes(count: number): string {
  if (count < 1000) return count + (count === 1 ? " byte" : " bytes");
  const units = ["KB", "MB", "GB", "TB"];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return (value < 9.95 ? value.toFixed(1) : whole.format(value)) + " " + units[unit];
}

/** Returns a rate for a row: `3/s`, `2,014/s`, or an empty text for a single change. */
export function formatRate(perSecond: number): string {
  return perSecond < 0.7 ? "" : formatCount(Math.max(1, perSecond)) + "/s";
}

/** Returns a short number for a figure or an axis: `2,014`, `0.4`, `12k`. */
export function shortNumber(value: number): string {
  if (value >= 100_000) return Math.round(value / 1000) + "k";
  if (value >= 10_000) return (value / 1000).toFixed(1) + "k";
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  if (value >= 10 || Number.isInteger(value)) return String(Math.round(value));
  return value < 0.05 ? "0" : value >= 1 ? value.toFixed(1) : String(Number(value.toFixed(2)));
}
