import { DataController } from "../data/controller";
import { Notices } from "./notices";
import { sentence, Session } from "./session";
import { Store } from "./store";

/** What all views have in common. */
export class App extends Store {
  readonly session = new Session();
  readonly notices = new Notices();
  readonly data = new DataController(this.session, this.notices);
  databases: { name: string; isDefault: boolean }[] = [];
  overlay: "command" | "keys" | null = null;
  problem: string | null = null;
  private isStarted = false;
  /** The databases, asked for beside the session. */
  private coming: Promise<{ name: string; isDefault: boolean }[]> | null = null;
  private generation = 0;

  constructor() {
    super();
    this.session.observe(() => this.sessionChanged());
  }

  async start(): Promise<void> {
    if (this.session.isLikely && !location.hash.startsWith("#key=")) {
      this.coming = this.session.api.databases();
      this.coming.catch(() => {});
    }
    await this.session.open();
  }

  private sessionChanged(): void {
    if (this.session.state.name === "in") {
      if (!this.isStarted) void this.enter();
      else if (this.session.generation !== this.generation) this.data.reconnect();
      this.generation = this.session.generation;
    }
    this.changed();
  }

  async enter(): Promise<void> {
    this.isStarted = true;
    try {
      this.databases = await (this.coming ?? this.session.api.databases());
      this.coming = null;
      this.problem = null;
      this.data.start((this.databases.find(each => each.isDefault) ?? this.databases[0])?.name ?? "");
    } catch (error) {
      this.isStarted = false;
      this.problem = sentence(error);
    }
    this.changed();
  }

  choose(database: string): void {
    this.data.go({ path: [], order: null, end: null, filter: "" });
    this.data.start(database);
    this.changed();
  }

  show(overlay: "command" | "keys" | null): void {
    this.overlay = overlay;
    this.changed();
  }

  partMissing(): void {
    this.show(null);
    this.data.sheetMissing();
  }

  async signOut(): Promise<void> {
    this.data.stop();
    this.isStarted = false;
    await this.session.signOut();
  }

  async goOn(): Promise<void> {
    await this.session.goOn().catch(error => this.notices.fail(error));
  }

  /** After the session ended: another may have begun in this browser. */
  async tryAgain(): Promise<void> {
    try {
      await this.session.goOn();
      this.data.reconnect();
    } catch (error) {
      this.notices.fail(error);
    }
  }
}
