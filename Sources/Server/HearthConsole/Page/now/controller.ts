import { Explanation } from "../why/explanation";
import { isUnreachable } from "../api/console";
import { Json } from "../tree/node";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Store } from "../state/store";
import { Backups, DoctorReport, doctorFindings } from "./checks";
import { Finding } from "./finding";
import { FigureResponse, HOUR, Series } from "./series";
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
  /** Null for a database whose data is in memory. */
  pages: PageFigures | null;
}

export interface PageFigures {
  memoryBytes: number;
  dirtyBytes: number;
  reads: number;
  failedReads: number;
  fileBytes: number;
  checkpointBytes: number;
  checkpointMilliseconds: number;
}

/** The state of the server, apart from its metrics. */
export interface ServerState {
  node: string | null;
  process: { version: string; startedAt: number; uptimeSeconds: number; openFiles: number | null; openFilesMax: number | null };
  storage: { diskAvailable: number | null; diskLevel: string; lastBackup: number | null };
  databases: DatabaseState[];
  findings: Finding[];
}

const REFRESH_MILLISECONDS = 2000;
const STATE_MILLISECONDS = 6000;
const DAY_MILLISECONDS = 60_000;
const LINES_KEPT = 2000;

/** The current state of the server: metrics of the last hour, connections, the log, plugins and triggers. */
export class NowController extends Store {
  readonly series = new Series();
  /** The metrics of the last day, loaded when first shown. */
  readonly day = new Series(24 * HOUR);
  doctor: DoctorReport | null = null;
  backups: Backups | null = null;
  connections: Connection[] = [];
  connectionCount = 0;
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
  private refreshing: "no" | "yes" | "again" = "no";

  constructor(private readonly app: App, readonly database: string) {
    super();
  }

  start(): void {
    void this.refresh();
    void this.refreshState();
    this.timers = [setInterval(() => document.hidden || this.isPaused || void this.refresh(), REFRESH_MILLISECONDS),
      setInterval(() => document.hidden || this.isPaused || void this.refreshState(), STATE_MILLISECONDS),
      setInterval(() => document.hidden || this.isPaused || !this.isDayShown || void this.refreshDay(), DAY_MILLISECONDS)];
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.publish();
  }

  filterByUser(uid: string | null): void {
    if (uid === this.uid) return;
    this.uid = uid;
    void this.refresh();
  }

  private request<Answer>(name: string, parameters: { [name: string]: string }): Promise<Answer> {
    return this.app.session.api.request("GET", `/now/${name}?` + new URLSearchParams({ ...parameters, peek: "1" }));
  }

  private async refresh(): Promise<void> {
    if (this.refreshing !== "no") {
      this.refreshing = "again";
      return;
    }
    this.refreshing = "yes";
    await this.refreshOnce();
    const isAgain = this.refreshing as string === "again";
    this.refreshing = "no";
    if (isAgain) await this.refresh();
  }

  private async refreshOnce(): Promise<void> {
    const last = this.lines[this.lines.length - 1]?.number ?? 0;
    try {
      const [figures, connected, log] = await Promise.all([
        this.request<FigureResponse>("figures", { after: String(this.series.newest) }),
        this.request<{ connections: Connection[]; count: number }>("connections", { ns: this.database, ...(this.uid === null ? {} : { uid: this.uid }) }),
        this.request<{ lines: LogLine[]; last: number }>("log", { after: String(last) }),
      ]);
      this.series.append(figures);
      [this.connections, this.connectionCount] = [connected.connections, connected.count];
      this.appendLines(log.lines, last, log.last);
      this.problem = null;
    } catch (error) {
      this.problem = problemText(error);
    }
    this.publish();
  }

  /** Adds log lines. After a restart of the server lines are numbered anew: then all of its lines are loaded. */
  private appendLines(lines: LogLine[], after: number, last: number): void {
    if (last < after) {
      this.lines = [];
      this.refreshing = "again";
    } else if (lines.length) {
      this.lines = [...this.lines, ...lines].slice(-LINES_KEPT);
    }
  }

  showDay(isShown: boolean): void {
    this.isDayShown = isShown;
    if (isShown) void this.refreshDay();
  }

  private async refreshDay(): Promise<void> {
    try {
      this.day.append(await this.request<FigureResponse>("figures", { step: "60", after: String(this.day.newest) }));
      this.publish();
    } catch (error) {
      this.problem = errorText(error);
    }
  }

  private async refreshState(): Promise<void> {
    const { api } = this.app.session;
    // A server without these checks is asked for them once.
    const doctor = this.doctor?.isSupported === false ? null : this.request<DoctorReport>("doctor", {}).catch(error =>
      (error as { status?: number }).status === 404 ? { isSupported: false, isRunning: false, at: null, problem: null, findings: [] } : this.doctor);
    const backups = this.request<Backups>("backups", {}).catch(() => null);
    const [state, plugins, triggers] = await Promise.all([
      this.request<ServerState>("state", {}).catch(error => problemText(error)),
      api.requestAdministration<{ plugins: PluginStatus[] }>("GET", ".settings/plugins.json?peek=1").catch(() => null),
      api.requestAdministration<{ triggers: TriggerStatus[] }>("GET", `.settings/triggers.json?peek=1&ns=${encodeURIComponent(this.database)}`)
        .catch(() => null),
    ]);
    this.stateProblem = typeof state === "string" ? state : plugins && triggers ? null : "Plugins and triggers cannot be asked.";
    if (typeof state !== "string") this.state = state;
    this.doctor = await doctor ?? this.doctor;
    this.backups = await backups;
    this.plugins = plugins?.plugins ?? [];
    this.triggers = triggers?.triggers ?? [];
    this.publish();
  }

  async openConnection(connection: string | null): Promise<void> {
    if (connection === null) {
      this.listens = null;
      return this.publish();
    }
    try {
      const found = await this.request<{ listens: StandingListen[]; count: number }>("listens", { ns: this.database, connection });
      this.listens = { connection, ...found };
    } catch (error) {
      this.listens = { connection, problem: errorText(error) };
    }
    this.publish();
  }

  /** Disconnects a client, which reconnects by itself. */
  async disconnect(connection: string): Promise<void> {
    try {
      await this.app.session.api.request("POST", "/now/disconnect", { connection });
      this.app.notices.show("The connection is ended. The client comes back by itself, if rules and its sign-in let it.");
    } catch (error) {
      this.app.notices.show(errorText(error), "bad");
    }
    await this.refresh();
  }

  /** True when state and checks are both loaded: only then can the page say that all is well. */
  get isLoaded(): boolean {
    return this.state !== null && this.doctor !== null && (this.doctor.isSupported === false || this.doctor.at !== null || this.findings.length > 0);
  }

  get findings(): Finding[] {
    return [...this.state?.findings ?? [], ...doctorFindings(this.doctor)];
  }

  /** Makes the server check its machine, folder and rules again. */
  async runChecks(): Promise<void> {
    try {
      this.doctor = await this.app.session.api.request<DoctorReport>("POST", "/now/doctor", {});
    } catch (error) {
      this.app.notices.show(errorText(error), "bad");
    }
    this.publish();
  }

  /** Makes a backup in the folder of the last one. */
  async backUp(): Promise<void> {
    await this.app.session.api.request("POST", "/now/backups", {});
    await this.refreshState();
  }

  /** The state of the open database. */
  get databaseState(): DatabaseState | null {
    return this.state?.databases.find(each => each.name === this.database) ?? null;
  }

  /** The problems in a few words each. */
  get findingTitles(): string[] {
    return this.findings.map(finding => finding.title);
  }
}

/** Returns the problem of a refresh, which is repeated every few seconds. */
function problemText(error: unknown): string {
  return isUnreachable(error) ? "Reconnecting…" : errorText(error);
}
