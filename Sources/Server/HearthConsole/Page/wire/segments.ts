import { endOfWholeCharacter } from "../format/text";

/** The number of UTF-16 units above which a message is sent as a count and that many segments. */
const SEGMENT_LIMIT = 16384;

/** Returns the texts to send for one message. No segment ends inside a surrogate pair. */
export function segmentsOf(message: string): string[] {
  if (message.length <= SEGMENT_LIMIT) return [message];
  const pieces: string[] = [];
  for (let start = 0; start < message.length; ) {
    const end = endOfWholeCharacter(message, Math.min(start + SEGMENT_LIMIT, message.length));
    pieces.push(message.slice(start, end));
    start = end;
  }
  return [String(pieces.length), ...pieces];
}

/** An assembler of segments into messages. */
export class SegmentAssembler {
  private missing = 0;
  private pieces: string[] = [];

  /** Takes one text and returns the message when it is complete. */
  add(text: string): string | null {
    if (this.missing > 0) {
      this.pieces.push(text);
      if (--this.missing > 0) return null;
      const message = this.pieces.join("");
      this.pieces = [];
      return message;
    }
    if (text.length <= 6 && /^\d+$/.test(text)) {
      this.missing = Number(text);
      return null;
    }
    return text;
  }
}
