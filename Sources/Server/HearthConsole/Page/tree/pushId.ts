/** Push ids: 8 characters of time and 12 of chance, in an alphabet whose order is that of ASCII. */
const ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const SHAPE = /^[-0-9A-Z_a-z]{20}$/;
/** Ids outside of these years are other keys that happen to have 20 characters. */
const EARLIEST = Date.UTC(2011, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** When the id was made, in milliseconds, or null where the key is no push id. */
export function timeOfPushId(key: string): number | null {
  if (!SHAPE.test(key)) return null;
  let time = 0;
  for (let at = 0; at < 8; at++) time = time * 64 + ALPHABET.indexOf(key[at]!);
  return time >= EARLIEST && time <= LATEST ? time : null;
}

/** The least key that an id made at `time` can have. */
export function firstPushIdAt(time: number): string {
  let left = Math.max(0, Math.floor(time));
  let text = "";
  for (let at = 0; at < 8; at++) {
    text = ALPHABET[left % 64]! + text;
    left = Math.floor(left / 64);
  }
  return text;
}

let lastTime = 0;
let lastChance: number[] = [];

/** A new id, greater than each that was made before it in this page. */
export function makePushId(now: number, chance: () => number = Math.random): string {
  if (now <= lastTime && lastChance.length) {
    now = lastTime;
    let at = 11;
    while (at >= 0 && lastChance[at] === 63) lastChance[at--] = 0;
    if (at >= 0) lastChance[at]!++;
    else now++;
  } else {
    lastChance = Array.from({ length: 12 }, () => Math.floor(chance() * 64));
  }
  lastTime = now;
  return firstPushIdAt(now) + lastChance.map(digit => ALPHABET[digit]).join("");
}
