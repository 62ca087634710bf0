import { Explanation } from "../why/explanation";
import { Json } from "../tree/node";
import { App } from "../shell/app";
import { sentence } from "../state/session";
import { Store } from "../state/store";
import { Backups, Doctor, examined } from "./care";
import { Finding } from "./finding";
import { FigureAnswer, HOUR, Series } from "./series";
import { TriggerStatus } from "./triggers";

export interface Connection {
  id: string;
  kind: "socket" | "poll" | "stream";
  agent: string | null;
  uid: string | null;
  readsAll: boolean;
  address: string;
  since: number;
  isPaused: boolean;
  /** The bytes that the client was sent since it connected; null for long polls. */
  sentBytes: number | null;
  /** The bytes that wait because the client does not read them. */
  waitingBytes: number | null;
}

export interface StandingListen {
  path: string;
  query?: Json;
  readsAll?: boolean;
  explanation?: Explanation;
}

export interface LogLine {
  number: number;
  line: { time: string; level: string; message: string; [name: string]: Json };
}

export interface PluginStatus {
  name: string;
  state: string;
  problem?: string | null;
  error?: string | null;
}

export interface DatabaseState {
  name: string;
  isRunning: boolean;
  batchesWaiting: number;
  largeWritesWaiting: number;
  journalBytes: number;
  snapshotBytes: number;
  position: number;
}

/** The state of the server, apart from its metrics. */
export interface ServerState {
  node: string | null;
  process: { version: string; startedAt: number; uptimeSeconds: number; openFiles: number | null; openFilesMax: number | null };
  storage: { diskAvailable: number | null; diskLevel: string; lastBackup: number | null };
  databases: DatabaseState[];
  findings: Finding[];
}

const LOOKED_MILLISECONDS = 2000;
const STATE_MILLISECONDS = 6000;
const DAY_MILLISECONDS = 60_000;
const LINES_KEPT = 2000;

/** The current state of the server: metrics of the last hour, connections, the log, plugins and triggers. */
export class NowController extends Store {
  readonly series = new Series();
  /** The metrics of the last day, loaded when first shown. */
  readonly day = new Series(24 * HOUR);
  doctor: Doctor | null = null;
  backups: Backups | null = null;
  connections: Connection[] = [];
  count = 0;
  listens: { connection: string; listens: StandingListen[]; count: number } | { connection: string; problem: string } | null = null;
  lines: LogLine[] = [];
  plugins: PluginStatus[] = [];
  triggers: TriggerStatus[] = [];
  state: ServerState | null = null;
  problem: string | null = null;
  /** The reason why the state is not known. */
  stateProblem: string | null = null;
  isPaused = false;
  private isDayShown = false;
  private uid: string | null = null;
  private timers: ReturnType<typeof setInterval>[] = [];
  /** The state of the refresh: one at a time; a request meanwhile causes one more. */
  private looking: "no" | "yes" | "again" = "no";

  constructor(private readonly app: App, readonly database: string) {
    super();
  }

  start(): void {
    void this.look();
    void this.lookAtState();
    this.timers = [setInterval(() => document.hidden || this.isPaused || void this.look(), LOOKED_MILLISECONDS),
      setInterval(() => document.hidden || this.isPaused || void this.lookAtState(), STATE_MILLISECONDS),
      setInterval(() => document.hidden || this.isPaused || !this.isDayShown || void this.lookAtDay(), DAY_MILLISECONDS)];
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.changed();
  }

  of(uid: string | null): void {
    if (uid === this.uid) return;
    this.uid = uid;
    void this.look();
  }

  private ask<Answer>(name: string, asked: { [name: string]: string }): Promise<Answer> {
    return this.app.session.api.ask("GET", `/now/${name}?` + new URLSearchParams({ ...asked, peek: "1" }));
  }

  private async look(): Promise<void> {
    if (this.looking !== "no") {
      this.looking = "again";
      return;
    }
    this.looking = "yes";
    await this.lookOnce();
    const isAgain = this.looking as string === "again";
    this.looking = "no";
    if (isAgain) await this.look();
  }

  private async lookOnce(): Promise<void> {
    const last = this.lines[this.lines.length - 1]?.number ?? 0;
    try {
      const [figures, connected, log] = await Promise.all([
        this.ask<FigureAnswer>("figures", { after: String(this.series.newest) }),
        this.ask<{ connections: Connection[]; count: number }>("connections", { ns: this.database, ...(this.uid === null ? {} : { uid: this.uid }) }),
        this.ask<{ lines: LogLine[]; last: number }>("log", { after: String(last) }),
      ]);
      this.series.take(figures);
      [this.connections, this.count] = [connected.connections, connected.count];
      this.takeLines(log.lines, last, log.last);
      this.problem = null;
    } catch (error) {
      this.problem = sentence(error);
    }
    this.changed();
  }

  /** Adds log lines. After a restart of the server lines are numbered anew: then all of its lines are loaded. */
  private takeLines(lines: LogLine[], after: number, last: number): void {
    if (last < after) {
      this.lines = [];
      this.looking = "again";
    } else if (lines.length) {
      this.lines = [...this.lines, ...lines].slice(-LINES_KEPT);
    }
  }

  showDay(isShown: boolean): void {
    this.isDayShown = isShown;
    if (isShown) void this.lookAtDay();
  }

  private async lookAtDay(): Promise<void> {
    try {
      this.day.take(await this.ask<FigureAnswer>("figures", { step: "60", after: String(this.day.newest) }));
      this.changed();
    } catch (error) {
      this.problem = sentence(error);
    }
  }

  private async lookAtState(): Promise<void> {
    const { api } = this.app.session;
    // A server that has no such checks is asked once.
    const doctor = this.doctor?.isThere === false ? null : this.ask<Doctor>("doctor", {}).catch(error =>
      (error as { status?: number }).status === 404 ? { isThere: false, isRunning: false, at: null, problem: null, findings: [] } : this.doctor);
    const backups = this.ask<Backups>("backups", {}).catch(() => null);
    const [state, plugins, triggers] = await Promise.all([
      this.ask<ServerState>("state", {}).catch(error => sentence(error)),
      api.server<{ plugins: PluginStatus[] }>("GET", ".settings/plugins.json?peek=1").catch(() => null),
      api.server<{ triggers: TriggerStatus[] }>("GET", `.settings/triggers.json?peek=1&ns=${encodeURIComponent(this.database)}`)
        .catch(() => null),
    ]);
    this.stateProblem = typeof state === "string" ? state : plugins && triggers ? null : "Plugins and triggers cannot be asked.";
    if (typeof state !== "string") this.state = state;
    this.doctor = await doctor ?? this.doctor;
    this.backups = await backups;
    this.plugins = plugins?.plugins ?? [];
    this.triggers = triggers?.triggers ?? [];
    this.changed();
  }

  async open(connection: string | null): Promise<void> {
    if (connection === null) {
      this.listens = null;
      return this.changed();
    }
    try {
      const found = await this.ask<{ listens: StandingListen[]; count: number }>("listens", { ns: this.database, connection });
      this.listens = { connection, ...found };
    } catch (error) {
      this.listens = { connection, problem: sentence(error) };
    }
    this.changed();
  }

  /** Disconnects a client, which reconnects by itself. */
  async disconnect(connection: string): Promise<void> {
    try {
      await this.app.session.api.ask("POST", "/now/disconnect", { connection });
      this.app.notices.say("The connection is ended. The client comes back by itself, if rules and its sign-in let it.");
    } catch (error) {
      this.app.notices.say(sentence(error), "bad");
    }
    await this.look();
  }

  /** True when state and checks are both loaded: only then can the page say that all is well. */
  get isKnown(): boolean {
    return this.state !== null && this.doctor !== null && (this.doctor.isThere === false || this.doctor.at !== null || this.findings.length > 0);
  }

  get findings(): Finding[] {
    return [...this.state?.findings ?? [], ...examined(this.doctor)];
  }

  /** Makes the server check its machine, folder and rules again. */
  async examine(): Promise<void> {
    try {
      this.doctor = await this.app.session.api.ask<Doctor>("POST", "/now/doctor", {});
    } catch (error) {
      this.app.notices.say(sentence(error), "bad");
    }
    this.changed();
  }

  /** Makes a backup beside the last one. */
  async backUp(): Promise<void> {
    await this.app.session.api.ask("POST", "/now/backups", {});
    await this.lookAtState();
  }

  /** The state of the open database. */
  get stored(): DatabaseState | null {
    return this.state?.databases.find(each => each.name === this.database) ?? null;
  }

  /** The problems in a few words each. */
  get concerns(): string[] {
    return this.findings.map(finding => finding.title);
  }
}
