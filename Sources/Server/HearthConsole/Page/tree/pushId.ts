/** The alphabet of push ids, which are 8 characters of time and 12 random ones, in ASCII order. */
const ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const SHAPE = /^[-0-9A-Z_a-z]{20}$/;
/** The first time of a push id; other keys of 20 characters are outside of these years. */
const EARLIEST = Date.UTC(2011, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** Returns the creation time of the id, in milliseconds, or null when the key is no push id. */
export function timeOfPushId(key: string): number | null {
  if (!SHAPE.test(key)) return null;
  let time = 0;
  for (let at = 0; at < 8; at++) time = time * 64 + ALPHABET.indexOf(key[at]!);
  return time >= EARLIEST && time <= LATEST ? time : null;
}

/** Returns the least key that an id made at `time` can have. */
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
let lastRandom: number[] = [];

/** Returns a new id, greater than all that were made before it in this page. */
export function makePushId(now: number, random: () => number = Math.random): string {
  if (now <= lastTime && lastRandom.length) {
    now = lastTime;
    let at = 11;
    while (at >= 0 && lastRandom[at] === 63) lastRandom[at--] = 0;
    if (at >= 0) lastRandom[at]!++;
    else now++;
  } else {
    lastRandom = Array.from({ length: 12 }, () => Math.floor(random() * 64));
  }
  lastTime = now;
  return firstPushIdAt(now) + lastRandom.map(digit => ALPHABET[digit]).join("");
}
