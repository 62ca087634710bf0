import { ConsoleApi } from "./console";

export interface PulseEvent {
  position: number;
  counts: number[];
  rate: number;
}

/** Splits the text of an event stream into events. Lines that begin with a colon are comments. */
export class EventReader {
  private rest = "";

  take(text: string): { event: string; data: string }[] {
    const all = this.rest + text;
    // A line may end with a pair of characters that comes in two pieces.
    const end = all.endsWith("\r") ? all.length - 1 : all.length;
    const blocks = all.slice(0, end).replace(/\r\n?/g, "\n").split("\n\n");
    this.rest = blocks.pop()! + all.slice(end);
    return blocks.flatMap(block => {
      let event = "message";
      const data: string[] = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      return data.length ? [{ event, data: data.join("\n") }] : [];
    });
  }
}

/** Reads a stream to its end, event by event. */
export async function readEvents(response: Response, take: (event: string, data: string) => void): Promise<void> {
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    for (const { event, data } of events.take(decoder.decode(value, { stream: true }))) take(event, data);
  }
}

/** Commits below the paths that are shown. One stream for the page, made anew when the paths change. */
export class Pulse {
  rate = 0;
  private controller: AbortController | null = null;
  private paths: string[] = [];
  private database = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delay = 1000;

  constructor(private readonly api: ConsoleApi, private readonly beat: (paths: string[], event: PulseEvent) => void) {}

  /** At most 200 paths; others are left out. */
  watch(database: string, paths: string[]): void {
    const wanted = paths.slice(0, 200).sort();
    if (database === this.database && wanted.join("\n") === this.paths.join("\n")) return;
    this.database = database;
    this.paths = wanted;
    this.restart(this.controller ? 400 : 0);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
    this.paths = [];
    this.rate = 0;
  }

  private restart(after: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), after);
  }

  private async run(): Promise<void> {
    this.controller?.abort();
    const controller = (this.controller = new AbortController());
    const paths = this.paths;
    if (!paths.length) return;
    try {
      const query = new URLSearchParams({ ns: this.database, topics: "pulse", paths: JSON.stringify(paths) });
      const response = await this.api.events(query, controller.signal);
      await readEvents(response, (event, data) => {
        if (event !== "pulse") return;
        this.delay = 1000;
        const pulse = JSON.parse(data) as PulseEvent;
        this.rate = pulse.rate;
        this.beat(paths, pulse);
      });
    } catch {
      // Without the stream the tree shows what its listens tell.
    }
    if (this.controller !== controller) return;
    this.rate = 0;
    this.delay = Math.min(this.delay * 2, 30_000);
    this.restart(this.delay);
  }
}
