import { ApiError, isUnreachable, RulesProblem } from "../api/console";
import { Denial } from "../state/denials";
import { complete } from "../data/completion";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Store } from "../state/store";
import { Decision, RulesRequest, Explanation } from "../why/explanation";
import { changedLines as linesThatChanged, keptLines } from "./diff";

export interface RulesVersion {
  id: number;
  time: string;
  cause?: string;
  author?: { kind: string; name?: string };
  comment?: string;
  tool?: string;
  sizeBytes: number;
}

/** The results of one rule, with their counts. */
export interface Coverage {
  line: number;
  kind: string;
  allowed: number;
  refused: number;
}

/** The effects of a deploy on current listens, stored data and recent denials. */
export interface Forecast {
  state: "complete" | "timedOut" | "cancelled" | "running";
  listeners: { examined: number; cancelled: number; undecided: number; patterns: { pattern: string; count: number; uids: (string | null)[] }[] };
  data: { checked: number; failed: number; alreadyFailing: number; failures: { pattern: string; count: number; alreadyFailing: number }[] };
  refusals: { examined: number; opened: number; places: { operation: string; path: string; uid: string | null; count: number }[] };
}

/** A denial that was evaluated again, with its trace. */
export interface ExplainedDenial {
  request: RulesRequest;
  inForce: boolean;
  explanation: Explanation;
  /** A file for `hearth rules test` with this case; null when the format cannot express the query. */
  test: string | null;
}

const CHECK_MILLISECONDS = 250;
const EDIT_STORAGE_KEY = "hearth-console-rules:";

/** The rules of a database: those in force, those in the editor, and the denials by the rules in force. */
export class RulesController extends Store {
  state: "loading" | "ready" | "failed" = "loading";
  problem: string | null = null;
  /** True when the rules could not be loaded because the server does not answer. */
  isReconnecting = false;
  /** The version that the edit began with. */
  version: number | null = null;
  /** The text of that version. */
  source = "";
  text = "";
  versions: RulesVersion[] = [];
  problems: RulesProblem[] = [];
  isChecked = false;
  coverage: Coverage[] | null = null;
  sheet: "deploy" | "merge" | null = null;
  /** The text that the edit began with; null unless another one is in force meanwhile. */
  mergeBase: string | null = null;
  /** The period of the displayed coverage. */
  coverageWindow: "all" | "hour" | "day" = "all";
  /** The start of the period; null is the deploy. */
  coveredSince: number | null = null;
  /** The version that another client deployed since the edit began. */
  newerVersion: RulesVersion | null = null;
  denial: Denial | null = null;
  explained: ExplainedDenial | { problem: string } | null = null;
  trialDecision: Decision | null = null;
  /** The id of the last denial that was requested. */
  private requestedId: string | null = null;
  isTrying = false;
  /** The result of the last comparison, cached because it is needed often. */
  private compared = { source: "", text: "", lines: [] as number[], kept: new Map<number, number>() };
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
    return this.comparison.lines;
  }

  /** The lines of the rules in force that the edit keeps, each with its line in the edit. */
  get keptLines(): Map<number, number> {
    return this.comparison.kept;
  }

  private get comparison() {
    const { compared, source, text } = this;
    if (compared.source === source && compared.text === text) return compared;
    const { isChanged } = this;
    return (this.compared = { source, text, lines: isChanged ? linesThatChanged(source, text) : [],
      kept: isChanged ? keptLines(source, text) : new Map<number, number>() });
  }

  get errors(): RulesProblem[] {
    return this.problems.filter(each => each.severity === "error");
  }

  get readOnlyReason(): string | null {
    return this.app.session.readOnlyReason;
  }

  /** What the next start of the server does to a deployment; null when it keeps it. */
  get restartNote(): string | null {
    const path = this.app.databases.find(each => each.name === this.database)?.rulesPath;
    return path ? `At its next start the server deploys ${path} again. Change that file too.` : null;
  }

  private announce(text: string): void {
    this.app.notices.show([text, this.restartNote ?? ""].join(" ").trim());
  }

  async start(): Promise<void> {
    await this.load();
    await this.loadCoverage();
    this.coverageTimer = setInterval(() => document.hidden || void this.loadCoverage(), 5000);
  }

  stop(): void {
    clearTimeout(this.checkTimer);
    clearInterval(this.coverageTimer);
  }

  async load(): Promise<void> {
    try {
      const [history, source] = await Promise.all([
        this.api.requestAdministration<{ current?: number; versions: RulesVersion[] }>("GET", this.path("rules/versions")),
        this.api.requestAdministrationText(this.path("rules")),
      ]);
      this.versions = history.versions;
      const current = history.current ?? null;
      const kept = this.savedEdit();
      this.mergeBase = null;
      if (!kept || kept.text === source) {
        this.text = source;
        this.newerVersion = null;
        sessionStorage.removeItem(EDIT_STORAGE_KEY + this.database);
      } else if (kept.version === current) {
        this.text = kept.text;
      } else {
        this.newerVersion = this.versions.find(each => each.id === current) ?? null;
        this.text = kept.text;
        this.mergeBase = kept.version === null ? null : await this.sourceOf(kept.version).catch(() => null);
      }
      [this.version, this.source, this.state] = [current, source, "ready"];
      void this.check();
    } catch (error) {
      [this.state, this.problem, this.isReconnecting] = ["failed", errorText(error), isUnreachable(error)];
    }
    this.publish();
  }

  private savedEdit(): { version: number | null; text: string } | null {
    try {
      return JSON.parse(sessionStorage.getItem(EDIT_STORAGE_KEY + this.database) ?? "null");
    } catch {
      return null;
    }
  }

  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.isChecked = false;
    this.trialDecision = null;
    // While another client's version is not merged, the edit still belongs to the version that it began with.
    const version = this.mergeBase === null ? this.version : this.savedEdit()?.version ?? this.version;
    if (this.isChanged) sessionStorage.setItem(EDIT_STORAGE_KEY + this.database, JSON.stringify({ version, text }));
    else sessionStorage.removeItem(EDIT_STORAGE_KEY + this.database);
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => void this.check(), CHECK_MILLISECONDS);
    this.publish();
  }

  revert(): void {
    [this.newerVersion, this.mergeBase] = [null, null];
    this.edit(this.source);
  }

  async check(): Promise<void> {
    const { text } = this;
    try {
      const problems = await this.api.checkRules(text);
      if (text !== this.text) return;
      [this.problems, this.isChecked] = [problems, true];
    } catch (error) {
      this.app.notices.showError(error);
    }
    this.publish();
  }

  /** Loads the coverage, which exists when the server was started with it. */
  private async loadCoverage(): Promise<void> {
    const { coverageWindow } = this;
    interface Counted { path: string; kind: string; line: number; expression: { counts: { true: number; total: number } } }
    try {
      const { rules, before, since } = await this.api.request<{ rules: Counted[] | null; before?: [number, number][]; since?: number }>("GET",
        `/rules/coverage?ns=${encodeURIComponent(this.database)}&peek=1${coverageWindow === "all" ? "" : `&window=${coverageWindow}`}`);
      if (coverageWindow !== this.coverageWindow) return;
      this.coveredSince = since ?? null;
      this.coverage = rules && rules.map((rule, at) => {
        const [allowed, total] = before?.[at] ?? [0, 0];
        const [allowedNow, totalNow] = [rule.expression.counts.true - allowed, rule.expression.counts.total - total];
        return { line: rule.line, kind: rule.kind, allowed: allowedNow, refused: totalNow - allowedNow };
      });
    } catch {
      this.coverage = null;
    }
    this.publish();
  }

  /** Shows the last hour, the last day, or all since the deploy. */
  showCoverage(window: "all" | "hour" | "day"): void {
    this.coverageWindow = window;
    void this.loadCoverage();
    this.publish();
  }

  /** Takes a text merged with another client's changes: it is an edit of the version in force from now on. */
  applyMerge(text: string): void {
    [this.mergeBase, this.newerVersion] = [null, null];
    sessionStorage.removeItem(EDIT_STORAGE_KEY + this.database);
    this.edit(text);
  }

  /** Returns the effects of a deploy of the text. */
  forecast(): Promise<Forecast> {
    return this.api.request("POST", "/rules/forecast", { database: this.database, source: this.text });
  }

  /** Deploys the text, unless another version was deployed meanwhile. */
  async deploy(comment: string): Promise<boolean> {
    const { text, version } = this;
    try {
      await this.api.requestAdministration("POST", this.path("rules/versions"), { source: text, comment, ...(version ? { expected: version } : {}) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      await this.loadNewer();
      return false;
    }
    sessionStorage.removeItem(EDIT_STORAGE_KEY + this.database);
    [this.newerVersion, this.mergeBase] = [null, null];
    this.text = text;
    await this.load();
    this.announce(`Version ${this.version} is in force.`);
    return true;
  }

  /** Handles a newer version: an edit continues; without one the newer text is shown. */
  private async loadNewer(): Promise<void> {
    const { isChanged } = this;
    const history = await this.api.requestAdministration<{ current?: number; versions: RulesVersion[] }>("GET", this.path("rules/versions"));
    this.versions = history.versions;
    const before = { version: this.version, source: this.mergeBase ?? this.source };
    this.version = history.current ?? null;
    this.source = await this.api.requestAdministrationText(this.path("rules"));
    if (isChanged) {
      this.newerVersion = this.versions.find(each => each.id === history.current) ?? null;
      this.mergeBase = before.source;
      sessionStorage.setItem(EDIT_STORAGE_KEY + this.database, JSON.stringify({ version: this.savedEdit()?.version ?? before.version, text: this.text }));
    } else {
      this.text = this.source;
      void this.check();
    }
    this.publish();
  }

  async sourceOf(version: number): Promise<string> {
    return (await this.api.requestAdministration<{ source: string }>("GET", this.path(`rules/versions/${version}`))).source;
  }

  /** Deploys an old text, unless another version was deployed meanwhile. The editor keeps its text. */
  async rollBack(version: number): Promise<void> {
    try {
      await this.api.requestAdministration("POST", this.path("rules/rollback"), { version, comment: `back to version ${version}`,
        ...(this.version ? { expected: this.version } : {}) });
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await this.loadNewer();
      throw error;
    }
    await this.load();
    this.announce(`Version ${this.version} is in force: the text of version ${version}.`);
  }

  /** Selects a denial that an address names and the page has not received. */
  async chooseById(id: string): Promise<void> {
    if (this.requestedId === id) return;
    this.requestedId = id;
    try {
      const found = await this.api.request<{ denial: Denial }>("GET", `/denials/${encodeURIComponent(id)}`);
      if (this.requestedId === id && found.denial.database === this.database) await this.choose(found.denial);
    } catch (error) {
      this.app.notices.show(error instanceof ApiError && error.status === 404 ? "This refusal is no longer kept." : errorText(error), "bad");
    }
  }

  /** Returns the keys in the database that begin with a text; reads names alone. */
  async keysBelow(places: readonly string[], typed: string): Promise<string[]> {
    const found = await complete(this.api, this.database, "/" + [...places, typed].join("/")).catch(() => []);
    return found.map(each => each.row.key);
  }

  /** Loads the explanation of a denial. */
  async choose(denial: Denial | null): Promise<void> {
    [this.denial, this.explained, this.trialDecision] = [denial, null, null];
    this.publish();
    if (!denial) return;
    try {
      const explained = await this.api.request<ExplainedDenial & { explained: boolean; reason?: string }>("GET", `/denials/${denial.id}`);
      if (this.denial !== denial) return;
      this.explained = explained.explained ? explained : { problem: explained.reason ?? "No more is kept of this one." };
    } catch (error) {
      if (this.denial !== denial) return;
      this.explained = { problem: errorText(error) };
    }
    this.publish();
  }

  /** Evaluates the same request by the text in the editor: over the data of its time, or current data if the text reads
      more. */
  async tryEdit(): Promise<void> {
    const { denial, explained, text } = this;
    if (!denial || !explained || "problem" in explained || this.isTrying) return;
    this.isTrying = true;
    this.publish();
    let tried = await this.evaluate({ denial: denial.id, rules: text });
    if (tried.isComplete === false) tried = await this.decide(explained.request, { rules: text });
    this.isTrying = false;
    if (this.denial === denial) this.trialDecision = tried;
    this.publish();
  }

  /** Evaluates a request. `by` is a text or a version that decides in place of the rules in force; the client is the user of
      a token, or an administrator, to whom no rules apply. */
  decide(request: RulesRequest, by: { rules?: string; version?: number; administrator?: boolean; token?: string } = {}): Promise<Decision> {
    return this.evaluate({ request, ...by });
  }

  private async evaluate(question: object): Promise<Decision> {
    try {
      return await this.api.request<Decision>("POST", "/try", { database: this.database, ...question });
    } catch (error) {
      return { error: errorText(error) };
    }
  }

  open(sheet: "deploy" | "merge" | null): void {
    this.sheet = sheet;
    this.publishNow();
  }

  staged(): Promise<any> {
    return this.api.requestAdministration("GET", this.path("rules/staged"));
  }

  async stage(comment: string): Promise<void> {
    await this.api.requestAdministration("PUT", this.path("rules/staged"), { source: this.text, comment });
  }

  async unstage(): Promise<void> {
    await this.api.requestAdministration("DELETE", this.path("rules/staged"));
  }

  async promote(bounds: object): Promise<void> {
    await this.api.requestAdministration("POST", this.path("rules/promote"), { ...bounds, comment: "promoted in the console" });
    await this.load();
    this.announce(`Version ${this.version} is in force: the staged rules.`);
  }
}
