import { errorText } from "./session";
import { Store } from "./store";

export interface Notice {
  id: number;
  text: string;
  tone: "plain" | "bad";
  action?: { label: string; run: () => void | Promise<void> };
  until: number;
}

const SHOWN_MILLISECONDS = 6000;
const SHOWN_MAXIMUM = 3;
export const UNDO_MILLISECONDS = 20_000;

/** The short messages at the edge of the screen, and one sentence for screen readers. */
export class Notices extends Store {
  list: Notice[] = [];
  /** The text of a polite live region, at most one sentence in five seconds. */
  spoken = "";
  private spokenAt = 0;
  private next = 1;

  show(text: string, tone: "plain" | "bad" = "plain"): void {
    this.add({ text, tone, until: Date.now() + SHOWN_MILLISECONDS });
  }

  showError(error: unknown): void {
    this.show(errorText(error), "bad");
  }

  showAction(text: string, label: string, run: () => void | Promise<void>): Notice {
    return this.add({ text, tone: "plain", action: { label, run }, until: Date.now() + UNDO_MILLISECONDS });
  }

  close(id: number): void {
    this.list = this.list.filter(notice => notice.id !== id);
    this.publish();
  }

  private add(notice: Omit<Notice, "id">): Notice {
    const made = { id: this.next++, ...notice };
    this.list = [...withoutSurplus(this.list), made];
    this.speak(notice.text);
    setTimeout(() => this.close(made.id), notice.until - Date.now());
    this.publish();
    return made;
  }

  speak(text: string): void {
    const now = Date.now();
    if (now - this.spokenAt < 5000 && this.spoken === text) return;
    this.spokenAt = now;
    this.spoken = text;
    this.publish();
  }
}

/** Returns the notices that stay beside a new one: those with an undo are dropped last. */
function withoutSurplus(list: Notice[]): Notice[] {
  const surplus = list.length - SHOWN_MAXIMUM + 1;
  if (surplus <= 0) return list;
  const going = new Set([...list.filter(each => !each.action), ...list.filter(each => each.action)].slice(0, surplus));
  return list.filter(each => !going.has(each));
}
