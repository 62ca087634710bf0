import { Component, h } from "preact";

interface Props<Found> {
  /** The field's name, unique in the document. */
  name: string;
  label: string;
  value: string;
  problem?: string | null;
  /** The name of the list. */
  foundLabel: string;
  search: (text: string) => Promise<Found[]>;
  keyOf: (found: Found) => string;
  /** The contents of an option. */
  option: (found: Found) => JSX.Element[];
  onType: (text: string) => void;
  onChoose: (found: Found) => void;
  /** Returns the text of the field after Tab; without it Tab leaves the field. */
  completed?: (found: Found) => string;
}

interface State<Found> {
  found: Found[];
  at: number;
}

const TYPED_MILLISECONDS = 120;

/** A field with a list of suggestions for its text. Without suggestions it is still a field. */
export class ComboField<Found> extends Component<Props<Found>, State<Found>> {
  override state: State<Found> = { found: [], at: -1 };
  private requestNumber = 0;

  override componentWillUnmount(): void {
    this.requestNumber++;
  }

  private typed(text: string): void {
    this.props.onType(text);
    void this.search(text);
  }

  private async search(text: string): Promise<void> {
    const asked = ++this.requestNumber;
    if (!text.trim()) return this.setState({ found: [], at: -1 });
    await new Promise(later => setTimeout(later, TYPED_MILLISECONDS));
    if (asked !== this.requestNumber) return;
    const found = await this.props.search(text.trim()).catch(() => []);
    if (asked === this.requestNumber) this.setState({ found, at: -1 });
  }

  private choose(found: Found): void {
    this.close();
    this.props.onChoose(found);
  }

  private close(): void {
    this.requestNumber++;
    this.setState({ found: [], at: -1 });
  }

  private key(event: KeyboardEvent): void {
    const { found, at } = this.state;
    const { completed } = this.props;
    if (!found.length) return;
    switch (event.key) {
      case "ArrowDown": this.setState({ at: (at + 1) % found.length }); break;
      case "ArrowUp": this.setState({ at: at <= 0 ? found.length - 1 : at - 1 }); break;
      case "Escape": this.close(); break;
      case "Tab":
        if (!completed || event.shiftKey || completed(found[Math.max(0, at)]!) === this.props.value) return this.close();
        this.typed(completed(found[Math.max(0, at)]!));
        break;
      case "Enter":
        if (at < 0) return;
        this.choose(found[at]!);
        break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  render() {
    const { name, label, value, problem, foundLabel, keyOf, option } = this.props;
    const { found, at } = this.state;
    const isOpen = found.length > 0;
    return <div class="labelled">
      <label class="labelled"><span>{label}</span>
        <span class={problem ? "field bad" : "field"}><input class="mono" role="combobox" aria-expanded={String(isOpen)} aria-controls={`found-${name}`}
          aria-autocomplete="list" aria-activedescendant={at >= 0 ? `found-${name}-${at}` : undefined} spellCheck={false} autocomplete="off" value={value}
          onInput={event => this.typed((event.target as HTMLInputElement).value)} onKeyDown={event => this.key(event)} onBlur={() => this.close()} /></span>
      </label>
      <div class="found" id={`found-${name}`} role="listbox" aria-label={foundLabel} hidden={!isOpen}>{found.map((each, index) =>
        <div class="option" role="option" id={`found-${name}-${index}`} key={keyOf(each)} aria-selected={String(index === at)} onMouseDown={event => {
          event.preventDefault();
          this.choose(each);
        }}>{option(each)}</div>)}</div>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
    </div>;
  }
}
