import { Component, h } from "preact";
import { Denial } from "../state/denials";
import { groupDenials, repetitionText } from "../state/groupedDenials";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { timeOfDay, fullTime } from "../format/time";
import { App } from "../shell/app";
import { Store, View } from "../state/store";

interface Props {
  app: App;
  chosen: Denial | null;
  filter: string;
  onChoose: (denial: Denial) => void;
}

const SHOWN = 200;

/** The list of denials, the newest first. It pauses while the pointer or the focus is in it. */
export class DenialList extends View<Props, { isHeld: boolean }> {
  override state = { isHeld: false };
  private pausedList: Denial[] | null = null;
  private element: HTMLElement | null = null;

  protected stores(): Store[] {
    return [this.props.app.denials];
  }

  private pause(isHeld: boolean): void {
    if (isHeld === this.state.isHeld) return;
    this.pausedList = isHeld ? this.props.app.denials.list : null;
    this.setState({ isHeld });
  }

  override componentDidMount(): void {
    super.componentDidMount();
    this.element!.addEventListener("focusin", () => this.pause(true));
    this.element!.addEventListener("focusout", () => setTimeout(() => this.resumeIfLeft()));
  }

  private resumeIfLeft(): void {
    if (!this.element?.matches(":hover") && !this.element?.contains(document.activeElement)) this.pause(false);
  }

  private key(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
    if (!step) return;
    const rows = [...this.element!.querySelectorAll<HTMLElement>(".refused")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  render() {
    const { app, chosen, filter, onChoose } = this.props;
    const all = this.pausedList ?? app.denials.list;
    const list = groupDenials(all.filter(denial => fits(denial, filter))).slice(0, SHOWN);
    const newer = this.pausedList ? countNewer(app.denials.list, this.pausedList[0]) : 0;
    return <div class="refused-list" ref={element => (this.element = element as HTMLElement)} role="group" aria-label="Refused"
      onMouseEnter={() => this.pause(true)} onMouseLeave={() => this.resumeIfLeft()} onKeyDown={event => this.key(event)}>
      {newer ? <button type="button" class="more-refused" onClick={() => {
        this.pausedList = app.denials.list;
        this.forceUpdate();
      }}>{formatCount(newer)} more</button> : null}
      {list.map(denial => <button type="button" key={denial.ids[denial.ids.length - 1]} class="refused"
        aria-current={chosen && denial.ids.includes(chosen.id) ? "true" : undefined}
        onClick={() => onChoose(denial)}>
        <time title={fullTime(denial.at)}>{timeOfDay(denial.at)}</time>
        <span class="cut">{denial.cause ? `cut by ${denial.cause}` : denial.operation}</span>
        <bdi class="mono cut">{displayText(denial.path, 160)}</bdi>
        <span class="cut who"><bdi>{denial.uid === null ? "signed out" : displayText(denial.uid, 40)}</bdi>
          {denial.count > 1 ? <b class="red-text" title={`${repetitionText(denial)}, since ${fullTime(denial.since)}`}> ×{formatCount(denial.count)}</b> : null}</span></button>)}
      {list.length ? null : <p class="note-text nothing">{all.length ? "No matches."
        : "No refused requests since the server started. New ones appear here at once."}</p>}
    </div>;
  }
}

function fits(denial: Denial, filter: string): boolean {
  if (!filter) return true;
  const text = [denial.path, denial.uid ?? "signed out", denial.operation, denial.cause ?? "", denial.rule?.path ?? ""].join(" ");
  return filter.toLowerCase().split(/\s+/).every(word => text.toLowerCase().includes(word));
}

function countNewer(list: Denial[], first: Denial | undefined): number {
  const at = first ? list.findIndex(each => each.id === first.id) : list.length;
  return list.slice(0, at < 0 ? list.length : at).reduce((sum, each) => sum + each.count, 0);
}

/** An example request, for a database without denials. */
export class NoDenials extends Component<{ database: string }, {}> {
  render() {
    const { database } = this.props;
    return <div class="callout blue"><div class="grow"><b>Make a first denial</b>
      <p>Write from a shell where the rules allow no write:</p>
      <div class="shell-line">{`curl -X PUT -d '"hello"' '${location.origin}/rooms/lobby/topic.json?ns=${database}'`}</div></div></div>;
  }
}
