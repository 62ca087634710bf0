import { ApiError, RulesProblem } from "../api/console";
import { Denial } from "../api/denials";
import { App } from "../shell/app";
import { sentence } from "../shell/session";
import { Store } from "../shell/store";
import { AskedRequest, Explanation } from "../why/explanation";
import { changedLines as linesThatChanged } from "./diff";

export interface RulesVersion {
  id: number;
  time: string;
  cause?: string;
  author?: { kind: string; name?: string };
  comment?: string;
  tool?: string;
  sizeBytes: number;
}

export interface Decision {
  allowed?: boolean;
  error?: string;
  explanation?: Explanation;
  /** Which data it was decided over. */
  dataOf?: "now" | "denial";
  /** False when the rules looked at what is not kept of a denial, which stands for nothing there. */
  isComplete?: boolean;
}

/** How often one rule came to what. */
export interface Coverage {
  line: number;
  kind: string;
  allowed: number;
  refused: number;
}

/** A denial that was decided again, with all that led to it. */
export interface Explained {
  request: AskedRequest;
  inForce: boolean;
  explanation: Explanation;
  /** A file for `hearth rules test` with this case; null where it has no words for the query. */
  test: string | null;
}

const CHECK_MILLISECONDS = 250;
const KEPT = "hearth-console-rules:";

/** The rules of a database: those in force, those in the editor, and what was refused by the former. */
export class RulesController extends Store {
  state: "loading" | "ready" | "failed" = "loading";
  problem: string | null = null;
  /** The version that the edit began with. */
  version: number | null = null;
  /** Its text. */
  source = "";
  text = "";
  versions: RulesVersion[] = [];
  problems: RulesProblem[] = [];
  isChecked = false;
  coverage: Coverage[] | null = null;
  sheet: "deploy" | null = null;
  /** A version came into force elsewhere since the edit began. */
  newer: RulesVersion | null = null;
  denial: Denial | null = null;
  explained: Explained | { problem: string } | null = null;
  tried: Decision | null = null;
  isTrying = false;
  /** What was compared last: it is asked for again and again. */
  private compared: { source: string; text: string; lines: number[] } = { source: "", text: "", lines: [] };
  private checkTimer: ReturnType<typeof setTimeout> | undefined;
  private coverageTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly app: App, readonly database: string) {
    super();
  }

  private get api() {
    return this.app.session.api;
  }

  private path(operation: string): string {
    return `.settings/${operation}.json?ns=${encodeURIComponent(this.database)}`;
  }

  get isChanged(): boolean {
    return this.text !== this.source;
  }

  get changedLines(): number[] {
    const { compared, source, text } = this;
    if (compared.source === source && compared.text === text) return compared.lines;
    const lines = this.isChanged ? linesThatChanged(source, text) : [];
    this.compared = { source, text, lines };
    return lines;
  }

  get errors(): RulesProblem[] {
    return this.problems.filter(each => each.severity === "error");
  }

  get readOnlyReason(): string | null {
    return this.app.session.readOnlyReason;
  }

  async start(): Promise<void> {
    await this.load();
    await this.cover();
    this.coverageTimer = setInterval(() => document.hidden || void this.cover(), 5000);
  }

  stop(): void {
    clearTimeout(this.checkTimer);
    clearInterval(this.coverageTimer);
  }

  async load(): Promise<void> {
    try {
      const [history, source] = await Promise.all([
        this.api.server<{ current?: number; versions: RulesVersion[] }>("GET", this.path("rules/versions")),
        this.api.serverText(this.path("rules")),
      ]);
      this.versions = history.versions;
      const current = history.current ?? null;
      const kept = this.kept();
      if (!kept || kept.text === source) {
        this.text = source;
        this.newer = null;
        sessionStorage.removeItem(KEPT + this.database);
      } else if (kept.version === current) {
        this.text = kept.text;
      } else {
        this.newer = this.versions.find(each => each.id === current) ?? null;
        this.text = kept.text;
      }
      [this.version, this.source, this.state] = [current, source, "ready"];
      void this.check();
    } catch (error) {
      [this.state, this.problem] = ["failed", sentence(error)];
    }
    this.changed();
  }

  private kept(): { version: number | null; text: string } | null {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT + this.database) ?? "null");
    } catch {
      return null;
    }
  }

  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.isChecked = false;
    this.tried = null;
    if (this.isChanged) sessionStorage.setItem(KEPT + this.database, JSON.stringify({ version: this.version, text }));
    else sessionStorage.removeItem(KEPT + this.database);
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => void this.check(), CHECK_MILLISECONDS);
    this.changed();
  }

  revert(): void {
    this.newer = null;
    this.edit(this.source);
  }

  async check(): Promise<void> {
    const { text } = this;
    try {
      const problems = await this.api.checkRules(text);
      if (text !== this.text) return;
      [this.problems, this.isChecked] = [problems, true];
    } catch (error) {
      this.app.notices.fail(error);
    }
    this.changed();
  }

  /** Counts are there where the server was started with them. */
  private async cover(): Promise<void> {
    interface Counted { path: string; kind: string; line: number; expression: { counts: { true: number; total: number } } }
    try {
      const { rules } = await this.api.ask<{ rules: Counted[] | null }>("GET",
        `/rules/coverage?ns=${encodeURIComponent(this.database)}&peek=1`);
      this.coverage = rules && rules.map(rule => ({ line: rule.line, kind: rule.kind, allowed: rule.expression.counts.true,
        refused: rule.expression.counts.total - rule.expression.counts.true }));
    } catch {
      this.coverage = null;
    }
    this.changed();
  }

  /** Puts the text in force, unless another version came meanwhile. */
  async deploy(comment: string): Promise<boolean> {
    const { text, version } = this;
    try {
      await this.api.server("POST", this.path("rules/versions"), { source: text, comment, ...(version ? { expected: version } : {}) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      await this.takeNewer();
      return false;
    }
    sessionStorage.removeItem(KEPT + this.database);
    this.newer = null;
    this.text = text;
    await this.load();
    this.app.notices.say(`Version ${this.version} is in force.`);
    return true;
  }

  /** An edit goes on over what others put in force; without one that is what is shown. */
  private async takeNewer(): Promise<void> {
    const { isChanged } = this;
    const history = await this.api.server<{ current?: number; versions: RulesVersion[] }>("GET", this.path("rules/versions"));
    this.versions = history.versions;
    this.version = history.current ?? null;
    this.source = await this.api.serverText(this.path("rules"));
    if (isChanged) {
      this.newer = this.versions.find(each => each.id === history.current) ?? null;
      sessionStorage.setItem(KEPT + this.database, JSON.stringify({ version: this.version, text: this.text }));
    } else {
      this.text = this.source;
      void this.check();
    }
    this.changed();
  }

  async sourceOf(version: number): Promise<string> {
    return (await this.api.server<{ source: string }>("GET", this.path(`rules/versions/${version}`))).source;
  }

  /** Puts an old text in force, unless another version came meanwhile. What is in the editor stays there. */
  async rollBack(version: number): Promise<void> {
    try {
      await this.api.server("POST", this.path("rules/rollback"), { version, comment: `back to version ${version}`,
        ...(this.version ? { expected: this.version } : {}) });
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await this.takeNewer();
      throw error;
    }
    await this.load();
    this.app.notices.say(`Version ${this.version} is in force: the text of version ${version}.`);
  }

  /** Has a denial explained. */
  async choose(denial: Denial | null): Promise<void> {
    [this.denial, this.explained, this.tried] = [denial, null, null];
    this.changed();
    if (!denial) return;
    try {
      const explained = await this.api.ask<Explained & { explained: boolean; reason?: string }>("GET", `/denials/${denial.id}`);
      if (this.denial !== denial) return;
      this.explained = explained.explained ? explained : { problem: explained.reason ?? "No more is kept of this one." };
    } catch (error) {
      if (this.denial !== denial) return;
      this.explained = { problem: sentence(error) };
    }
    this.changed();
  }

  /** The same request by the text in the editor: over the data of its moment, or of now if the text looks at what was not kept. */
  async tryEdit(): Promise<void> {
    const { denial, explained, text } = this;
    if (!denial || !explained || "problem" in explained || this.isTrying) return;
    this.isTrying = true;
    this.changed();
    let tried = await this.ask({ denial: denial.id, rules: text });
    if (tried.isComplete === false) tried = await this.decide(explained.request, text);
    this.isTrying = false;
    if (this.denial === denial) this.tried = tried;
    this.changed();
  }

  /** - Parameter rules: a text that decides in the place of the rules in force. */
  decide(request: AskedRequest, rules?: string): Promise<Decision> {
    return this.ask({ request, ...(rules === undefined ? {} : { rules }) });
  }

  private async ask(question: object): Promise<Decision> {
    try {
      return await this.api.ask<Decision>("POST", "/try", { database: this.database, ...question });
    } catch (error) {
      return { error: sentence(error) };
    }
  }

  staged(): Promise<any> {
    return this.api.server("GET", this.path("rules/staged"));
  }

  async stage(comment: string): Promise<void> {
    await this.api.server("PUT", this.path("rules/staged"), { source: this.text, comment });
  }

  async unstage(): Promise<void> {
    await this.api.server("DELETE", this.path("rules/staged"));
  }

  async promote(bounds: object): Promise<void> {
    await this.api.server("POST", this.path("rules/promote"), { ...bounds, comment: "promoted in the console" });
    await this.load();
    this.app.notices.say(`Version ${this.version} is in force: the staged rules.`);
  }
}
