import { Component, h } from "preact";
import { complete, Suggestion } from "../data/completion";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { kindName } from "../format/value";
import { parsePath, pathText } from "../tree/keys";
import { Icon } from "../widgets/icon";
import { IconName } from "../widgets/icons";
import { Sheet } from "../widgets/sheet";
import { App } from "./app";
import { Command, commands } from "./commands";
import { ranked } from "./matching";

/** The typing pause after which names are requested. */
const TYPED_MILLISECONDS = 60;

interface Option {
  id: string;
  icon: IconName;
  label: string;
  isPath: boolean;
  after: string;
  reason?: string | null;
  run: () => void;
}

interface State {
  text: string;
  suggestions: Suggestion[];
  at: number;
}

/** The command palette: finds a path or a command by a few letters of it. */
export class CommandPalette extends Component<{ app: App }, State> {
  override state: State = { text: "", suggestions: [], at: 0 };
  private requestNumber = 0;
  private readonly all: Command[] = commands(this.props.app);

  override componentDidMount(): void {
    void this.suggest("");
  }

  private typed(text: string): void {
    this.setState({ text, at: 0 });
    void this.suggest(text);
  }

  private async suggest(text: string): Promise<void> {
    const asked = ++this.requestNumber;
    if (text) await new Promise(later => setTimeout(later, TYPED_MILLISECONDS));
    if (asked !== this.requestNumber) return;
    const { data } = this.props.app;
    const suggestions = await complete(data.session.api, data.database, text).catch(() => []);
    if (asked === this.requestNumber) this.setState({ suggestions });
  }

  private options(): Option[] {
    const { text, suggestions } = this.state;
    const { data } = this.props.app;
    const isPath = text.startsWith("/");
    const paths = suggestions.slice(0, isPath || !text ? 8 : 4).map(({ path, row }): Option => ({
      id: pathText(path), icon: "data", label: displayText(pathText(path), 200), isPath: true,
      after: row.kind === "object" ? formatCount(row.count) : kindName(row.kind), run: () => data.go({ path }),
    }));
    const typed = parsePath(text);
    if (isPath && typed.length && !suggestions.some(each => pathText(each.path) === pathText(typed))) {
      paths.push({ id: "typed", icon: "enter", label: `Go to ${displayText(pathText(typed), 200)}`, isPath: false, after: "",
        run: () => data.go({ path: typed }) });
    }
    const acts = isPath ? [] : this.all.map((command): Option => ({
      id: command.label, icon: command.icon, label: command.label, isPath: false, after: command.keyCap ?? "",
        reason: command.reason, run: command.run,
    }));
    // A path matches by its last key, which begins with what was typed.
    return text && !isPath ? ranked([...acts, ...paths], text, option => option.isPath ? option.id.slice(option.id.lastIndexOf("/") + 1) : option.label)
      : [...paths, ...acts];
  }

  private choose(option: Option | undefined): void {
    if (!option || option.reason) return;
    this.props.app.showOverlay(null);
    option.run();
  }

  private key(event: KeyboardEvent): void {
    const options = this.options();
    const { at } = this.state;
    switch (event.key) {
      case "ArrowDown": this.move(Math.min(options.length - 1, at + 1)); break;
      case "ArrowUp": this.move(Math.max(0, at - 1)); break;
      case "Enter": this.choose(options[at]); break;
      case "Tab":
        if (!options[at]?.isPath) return;
        this.typed(options[at]!.id + "/");
        break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private move(at: number): void {
    this.setState({ at }, () => document.getElementById(`command-${at}`)?.scrollIntoView({ block: "nearest" }));
  }

  render() {
    const { text, at } = this.state;
    const options = this.options();
    return <Sheet title="Go to" name="command" onClose={() => this.props.app.showOverlay(null)}>
      <div class="command-input"><Icon name="search" /><input role="combobox" aria-label="Path or command"
        placeholder="Path or command" aria-expanded="true" aria-controls="command-list"
        aria-activedescendant={options.length ? `command-${at}` : undefined} spellCheck={false} autocomplete="off" value={text}
        onInput={event => this.typed((event.target as HTMLInputElement).value)} onKeyDown={event => this.key(event)} /></div>
      <div class="command-list" id="command-list" role="listbox" aria-label="Places and commands">
        {options.map((option, index) => <div class="option" role="option" id={`command-${index}`} key={option.id}
          aria-selected={String(index === at)} aria-disabled={option.reason ? "true" : undefined}
          title={option.reason ?? undefined} onMouseMove={() => index !== at && this.setState({ at: index })}
            onClick={() => this.choose(option)}>
          <Icon name={option.icon} /><bdi class={option.isPath ? "mono cut" : "cut"}>{option.label}</bdi><span class="after">
            {option.isPath || !option.after ? option.after : <kbd>{option.after}</kbd>}</span></div>)}
        {options.length ? null : <div class="group">No matches. A path begins with a slash.</div>}
      </div>
    </Sheet>;
  }
}
