import { Component, h } from "preact";
import { ConsoleApi } from "../api/console";
import { shown } from "../format/text";
import { Person } from "./api";
import { claimsOf, nameOf } from "./words";

interface Props {
  api: ConsoleApi;
  label: string;
  value: string;
  problem?: string | null;
  onType: (text: string) => void;
  onChoose: (person: Person) => void;
}

interface State {
  found: Person[];
  at: number;
}

const TYPED_MILLISECONDS = 120;
const SHOWN = 8;

/** A field for a uid, which finds people by what one knows of them. */
export class PersonField extends Component<Props, State> {
  override state: State = { found: [], at: -1 };
  private asked = 0;

  override componentWillUnmount(): void {
    this.asked++;
  }

  private typed(text: string): void {
    this.props.onType(text);
    void this.search(text.trim());
  }

  private async search(text: string): Promise<void> {
    const asked = ++this.asked;
    if (!text) return this.setState({ found: [], at: -1 });
    await new Promise(later => setTimeout(later, TYPED_MILLISECONDS));
    if (asked !== this.asked) return;
    const query = new URLSearchParams({ q: text, limit: String(SHOWN) });
    // Without an answer it is a field for a uid still.
    const people = await this.props.api.ask<{ people: Person[] }>("GET", "/people?" + query).then(answer => answer.people, () => []);
    if (asked === this.asked) this.setState({ found: people, at: -1 });
  }

  private choose(person: Person): void {
    this.asked++;
    this.setState({ found: [], at: -1 });
    this.props.onChoose(person);
  }

  private close(): void {
    this.asked++;
    this.setState({ found: [], at: -1 });
  }

  private key(event: KeyboardEvent): void {
    const { found, at } = this.state;
    if (!found.length) return;
    switch (event.key) {
      case "ArrowDown": this.setState({ at: (at + 1) % found.length }); break;
      case "ArrowUp": this.setState({ at: at <= 0 ? found.length - 1 : at - 1 }); break;
      case "Escape": this.close(); break;
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
    const { label, value, problem } = this.props;
    const { found, at } = this.state;
    const isOpen = found.length > 0;
    return <div class="labelled">
      <label class="labelled"><span>{label}</span>
        <span class={problem ? "field bad" : "field"}><input class="mono" role="combobox" aria-expanded={String(isOpen)} aria-controls="found-people"
          aria-autocomplete="list" aria-activedescendant={at >= 0 ? `found-person-${at}` : undefined} spellCheck={false} autocomplete="off" value={value}
          onInput={event => this.typed((event.target as HTMLInputElement).value)} onKeyDown={event => this.key(event)} onBlur={() => this.close()} /></span>
      </label>
      <div class="found-people" id="found-people" role="listbox" aria-label="People found" hidden={!isOpen}>{found.map((person, index) =>
        <div class="option" role="option" id={`found-person-${index}`} key={person.localId} aria-selected={String(index === at)} onMouseDown={event => {
          event.preventDefault();
          this.choose(person);
        }}><bdi class="cut">{shown(nameOf(person), 80)}</bdi>{person.disabled ? <span class="chip red">disabled</span> : null}
          <bdi class="mono cut note-text">{shown(person.localId, 60)}</bdi><bdi class="mono cut after">{shown(claimsOf(person), 60)}</bdi></div>)}</div>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
    </div>;
  }
}
