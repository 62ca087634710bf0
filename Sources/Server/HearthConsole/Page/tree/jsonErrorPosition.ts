/** Returns the position at which a text stops being JSON. Browsers report it differently, or not at all. */
export function jsonErrorPosition(text: string): number {
  const reader = new JsonScanner(text);
  reader.value();
  reader.space();
  return reader.at;
}

const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

class JsonScanner {
  at = 0;

  constructor(private readonly text: string) {}

  space(): void {
    this.match(SPACE);
  }

  value(): boolean {
    this.space();
    if (this.text[this.at] === "{") return this.list("}", () => this.member());
    if (this.text[this.at] === "[") return this.list("]", () => this.value());
    return this.match(SCALAR);
  }

  private member(): boolean {
    this.space();
    return this.match(TEXT) && this.sign(":") && this.value();
  }

  private list(end: string, item: () => boolean): boolean {
    this.at++;
    if (this.sign(end)) return true;
    do {
      if (!item()) return false;
    } while (this.sign(","));
    return this.sign(end);
  }

  private sign(sign: string): boolean {
    this.space();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found !== null;
  }
}
