import { Component, h } from "preact";
import { displayText } from "../format/text";
import { fullTime } from "../format/time";
import { Icon } from "../widgets/icon";
import { SegmentedControl } from "../widgets/segmentedControl";
import { LogLine, NowController } from "./controller";

type Level = "" | "notice" | "warning";

const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];
const SHOWN = 300;
const SHOWN_FIELDS = new Set(["time", "level", "message", "logger"]);

/** The newest lines of the log. It follows the end unless the user has scrolled away from it. */
export class LogPane extends Component<{ now: NowController }, { level: Level; filter: string }> {
  override state: { level: Level; filter: string } = { level: "", filter: "" };
  private list: HTMLElement | null = null;
  private isAtEnd = true;

  override componentDidUpdate(): void {
    if (this.isAtEnd && this.list) this.list.scrollTop = this.list.scrollHeight;
  }

  render() {
    const { now } = this.props;
    const { level, filter } = this.state;
    const words = filter.toLowerCase().split(/\s+/).filter(word => word);
    const lines = now.lines.filter(each => (!level || LEVELS.indexOf(each.line.level) >= LEVELS.indexOf(level))
      && words.every(word => textOf(each).toLowerCase().includes(word))).slice(-SHOWN);
    return <section class="log" aria-label="Log">
      <div class="pane-head"><h2>Log</h2><SegmentedControl name="Level" value={level} onChoose={(next: Level) => this.setState({ level: next })}
        options={[{ value: "", label: "all" }, { value: "notice", label: "notice" }, { value: "warning", label: "warn" }]} />
        <span class="grow" /><label class="field soft"><Icon name="filter" /><input aria-label="Filter the log" placeholder="Filter" value={filter}
          onInput={event => this.setState({ filter: (event.target as HTMLInputElement).value })} /></label></div>
      <div class="log-lines mono" role="log" aria-label="Lines" aria-live="off" tabIndex={0} ref={element => (this.list = element as HTMLElement)} onScroll={() => {
        const { scrollTop, scrollHeight, clientHeight } = this.list!;
        this.isAtEnd = scrollHeight - scrollTop - clientHeight < 8;
      }}>{lines.map(each => <div key={String(each.number)} class={each.line.level}><time title={fullTime(Date.parse(each.line.time))}>{each.line.time.slice(11, 23)}</time>
        <span class="level">{each.line.level}</span><bdi>{displayText(textOf(each), 1000)}</bdi></div>)}
        {lines.length ? null : <p class="note-text">{now.lines.length ? "No matches." : "No log lines since the server started."}</p>}</div>
    </section>;
  }
}

/** Returns the message, then the other fields. */
function textOf({ line }: LogLine): string {
  const rest = Object.entries(line).filter(([name]) => !SHOWN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [line.message, ...rest].join(" ");
}
