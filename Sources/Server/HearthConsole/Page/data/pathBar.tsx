import { Component, h } from "preact";
import { displayText } from "../format/text";
import { parsePath, pathText } from "../tree/keys";
import { Icon } from "../widgets/icon";
import { complete, Suggestion } from "./completion";
import { DataController } from "./controller";
import { suggestionParts } from "./pathField";

interface State {
  text: string | null;
  suggestions: Suggestion[];
  at: number;
}

/** The path of the selection: each part is a link, and the whole can be typed, with completion. */
export class PathBar extends Component<{ data: DataController }, State> {
  override state: State = { text: null, suggestions: [], at: -1 };
  private input: HTMLInputElement | null = null;
  private requestNumber = 0;

  /** Shows the path as text, selected as a whole: what is typed replaces it. */
  edit(): void {
    const { path } = this.props.data.route;
    const text = path.length ? pathText(path) : "/";
    this.setState({ text, suggestions: [], at: -1 }, () => {
      this.input?.focus();
      this.input?.select();
    });
    void this.suggest(text);
  }

  private async suggest(text: string): Promise<void> {
    const asked = ++this.requestNumber;
    const { data } = this.props;
    const suggestions = await complete(data.session.api, data.database, text).catch(() => []);
    if (asked === this.requestNumber && this.state.text !== null) this.setState({ suggestions, at: -1 });
  }

  private typed(text: string): void {
    this.setState({ text });
    void this.suggest(text);
  }

  private go(text: string): void {
    this.closeAndFocusTree();
    this.props.data.go({ path: parsePath(text) });
  }

  /** Returns the keyboard focus to the tree. */
  private closeAndFocusTree(): void {
    this.close();
    this.props.data.focus();
  }

  private close(): void {
    this.requestNumber++;
    this.setState({ text: null, suggestions: [], at: -1 });
  }

  private key(event: KeyboardEvent): void {
    const { suggestions, at, text } = this.state;
    const chosen = suggestions[at] ?? (suggestions.length === 1 ? suggestions[0] : undefined);
    switch (event.key) {
      case "Escape": this.closeAndFocusTree(); break;
      case "Enter": this.go(suggestions[at] ? pathText(suggestions[at]!.path) : text!); break;
      case "ArrowDown": this.setState({ at: Math.min(suggestions.length - 1, at + 1) }); break;
      case "ArrowUp": this.setState({ at: Math.max(-1, at - 1) }); break;
      case "Tab":
        if (!chosen && !suggestions[0]) return;
        this.typed(pathText((chosen ?? suggestions[0]!).path) + ((chosen ?? suggestions[0]!).row.kind === "object" ? "/" : ""));
        break;
      default: return;
    }
    event.preventDefault();
  }

  override componentDidMount(): void {
    this.componentDidUpdate();
  }

  /** Scrolls to the end of a long path. */
  override componentDidUpdate(): void {
    const path = this.base.querySelector(".path");
    if (path) path.scrollLeft = path.scrollWidth;
  }

  render() {
    return this.state.text === null ? this.links() : this.field();
  }

  private links() {
    const { data } = this.props;
    const { path } = data.route;
    return <h1><div class="path" aria-label="Path">
      <button type="button" aria-label="Root" aria-current={path.length ? undefined : "true"}
        onClick={() => data.go({ path: [] })}>/</button>
      {path.map((key, at) => [
        at ? <i>/</i> : null as unknown as JSX.Element,
        <button type="button" aria-current={at === path.length - 1 ? "true" : undefined} title={displayText(key)}
          onClick={() => data.go({ path: path.slice(0, at + 1) })}><bdi>{displayText(key, 80)}</bdi></button>,
      ])}
      <button type="button" class="edit-path" aria-label="Type a path" title="Type a path (/)" onClick={() => this.edit()}>
        <Icon name="edit" /></button>
    </div></h1>;
  }

  private field() {
    const { text, suggestions, at } = this.state;
    const isOpen = suggestions.length > 0;
    return <div class="path-edit">
      <div class="field"><input ref={element => (this.input = element as HTMLInputElement)} value={text!} aria-label="Path"
        spellCheck={false} autocomplete="off"
        role="combobox" aria-expanded={String(isOpen)} aria-controls="path-suggestions" aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `path-suggestion-${at}` : undefined}
        onInput={event => this.typed((event.target as HTMLInputElement).value)} onKeyDown={event => this.key(event)}
          onBlur={() => this.close()} /></div>
      {isOpen ? <div class="suggestions" id="path-suggestions" role="listbox" aria-label="Keys">
        {suggestions.map((suggestion, index) => <SuggestionRow suggestion={suggestion} id={`path-suggestion-${index}`} isChosen={index === at}
          onChoose={() => this.go(pathText(suggestion.path))} />)}
      </div> : null}
    </div>;
  }
}

function SuggestionRow(props?: { suggestion: Suggestion; id: string; isChosen: boolean; onChoose: () => void }) {
  const { suggestion, id, isChosen, onChoose } = props!;
  const choose = (event: Event) => {
    event.preventDefault();
    onChoose();
  };
  return <div class="option" role="option" id={id} aria-selected={String(isChosen)} onMouseDown={choose}>{suggestionParts(suggestion)}</div>;
}
