/** Returns SHA-1 as base64, computed here: the browser's own is asynchronous, and absent where a page is not served
    over TLS. */
export function sha1Base64(text: string): string {
  return base64(sha1(new TextEncoder().encode(text)));
}

function sha1(message: Uint8Array): Uint32Array {
  const blocks = ((message.length + 8) >> 6) + 1;
  const words = new Uint32Array(blocks * 16);
  for (let at = 0; at < message.length; at++) words[at >> 2] |= message[at]! << (24 - (at & 3) * 8);
  words[message.length >> 2] |= 0x80 << (24 - (message.length & 3) * 8);
  words[words.length - 2] = Math.floor(message.length / 0x20000000);
  words[words.length - 1] = message.length << 3;
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const w = new Uint32Array(80);
  for (let block = 0; block < words.length; block += 16) {
    for (let at = 0; at < 80; at++) {
      w[at] = at < 16 ? words[block + at]! : left(w[at - 3]! ^ w[at - 8]! ^ w[at - 14]! ^ w[at - 16]!, 1);
    }
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
    for (let at = 0; at < 80; at++) {
      const [mixed, constant] =
        at < 20 ? [(b & c) | (~b & d), 0x5a827999] :
        at < 40 ? [b ^ c ^ d, 0x6ed9eba1] :
        at < 60 ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6];
      const next = (left(a, 5) + mixed + e + constant + w[at]!) >>> 0;
      e = d;
      d = c;
      c = left(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
  return state;
}

function left(value: number, by: number): number {
  return ((value << by) | (value >>> (32 - by))) >>> 0;
}

function base64(words: Uint32Array): string {
  let binary = "";
  for (const word of words) for (let shift = 24; shift >= 0; shift -= 8) binary += String.fromCharCode((word >>> shift) & 255);
  return btoa(binary);
}
