import { ConsoleApi } from "./console";

export interface CommitCountEvent {
  position: number;
  counts: number[];
  rate: number;
}

/** A parser of the text of an event stream. Lines that begin with a colon are comments. */
export class EventStreamParser {
  private rest = "";

  parse(text: string): { event: string; data: string }[] {
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

/** An event stream that is opened again when it ends. */
export class EventStream {
  isLive = false;
  private controller: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delay = 1000;

  /**
   * - `query`: the current request; null pauses the stream. - `received`: called with each event. - `changed`: called when `isLive`
   * has changed.
   */
  constructor(private readonly api: ConsoleApi, private readonly query: () => URLSearchParams | null,
    private readonly received: (event: string, data: string) => void, private readonly changed: () => void = () => {}) {}

  get isStarted(): boolean {
    return this.controller !== null;
  }

  /** Opens the stream, and replaces one that is open. */
  start(after = 0): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), after);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
    this.isLive = false;
  }

  private async run(): Promise<void> {
    this.controller?.abort();
    const controller = (this.controller = new AbortController());
    const query = this.query();
    if (!query) return;
    try {
      const response = await this.api.events(query, controller.signal);
      this.setLive(response.ok);
      await readEvents(response, (event, data) => {
        this.delay = 1000;
        if (this.controller === controller) this.received(event, data);
      });
    } catch {
      // The stream is opened again; events so far stay.
    }
    if (this.controller !== controller) return;
    this.setLive(false);
    this.delay = Math.min(this.delay * 2, 30_000);
    this.start(this.delay);
  }

  private setLive(isLive: boolean): void {
    this.isLive = isLive;
    this.changed();
  }
}

/** Reads a stream to its end, event by event. */
async function readEvents(response: Response, take: (event: string, data: string) => void): Promise<void> {
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events = new EventStreamParser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    for (const { event, data } of events.parse(decoder.decode(value, { stream: true }))) take(event, data);
  }
}

/** The commits below the displayed paths. One stream for the page, opened anew when the paths change. */
export class CommitCountStream {
  rate = 0;
  private paths: string[] = [];
  /** The paths that the stream was opened with: counts come in their order. */
  private streamedPaths: string[] = [];
  private database = "";
  private readonly stream: EventStream;

  constructor(api: ConsoleApi, private readonly counted: (paths: string[], event: CommitCountEvent) => void) {
    this.stream = new EventStream(api, () => this.query(), (event, data) => this.handle(event, data),
      () => this.stream.isLive || (this.rate = 0));
  }

  /** Sets the paths, at most 200; others are left out. */
  watch(database: string, paths: string[]): void {
    const wanted = paths.slice(0, 200).sort();
    if (database === this.database && wanted.join("\n") === this.paths.join("\n")) return;
    this.database = database;
    this.paths = wanted;
    this.stream.start(this.stream.isStarted ? 400 : 0);
  }

  stop(): void {
    this.stream.stop();
    this.paths = [];
    this.rate = 0;
  }

  private query(): URLSearchParams | null {
    this.streamedPaths = this.paths;
    return this.streamedPaths.length ? new URLSearchParams({ ns: this.database, topics: "pulse", paths: JSON.stringify(this.streamedPaths) }) : null;
  }

  private handle(event: string, data: string): void {
    if (event !== "pulse") return;
    const pulse = JSON.parse(data) as CommitCountEvent;
    this.rate = pulse.rate;
    this.counted(this.streamedPaths, pulse);
  }
}
