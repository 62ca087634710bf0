import { Component, h } from "preact";
import { timeOfDay } from "../format/time";
import { linePoints, scale, Series, shortNumber } from "./series";

interface Line {
  figure: string;
  label: string;
  /** The class of colour: `blue`, `grey`, `red`. */
  tone: string;
  isFilled?: boolean;
}

interface Props {
  name: string;
  unit: string;
  series: Series;
  lines: Line[];
  /** The times that are marked at the foot. */
  ticks?: { figure: string; label: string };
  seconds: number;
  /** The crosshair's time, shared with the neighbouring charts. */
  pointerTime: number | null;
  onPoint: (at: number | null) => void;
}

const WIDTH = 560;
const HEIGHT = 120;
const ROWS = 10;

/** A chart of lines over time. The axis stops while the pointer is over it; gaps in the samples are not drawn. */
export class Chart extends Component<Props, { isTable: boolean }> {
  override state = { isTable: false };
  private frozenAxis: { top: number; ticks: number[] } | null = null;
  private element: Element | null = null;

  private point(event: MouseEvent, from: number, to: number): void {
    const box = this.element!.getBoundingClientRect();
    this.props.onPoint(from + (event.clientX - box.left) / box.width * (to - from));
  }

  /** Returns the chart's values as a table: a row for each tenth of the time, the newest first. */
  private table(from: number, to: number) {
    const { series, lines, ticks, unit } = this.props;
    const columns = [...lines.map(line => ({ ...line, unit })), ...(ticks ? [{ ...ticks, unit: "/s" }] : [])];
    const times = Array.from({ length: ROWS }, (_, at) => [to - (to - from) / ROWS * (at + 1), to - (to - from) / ROWS * at] as const);
    return <div class="chart-rows" tabIndex={0} role="group" aria-label={`${this.props.name}, numbers`}><table class="plain"><thead><tr><th scope="col">Until</th>
      {columns.map(each => <th scope="col" class="right">{each.label}, {each.unit}</th>)}</tr></thead>
      <tbody>{times.map(([begin, end]) => <tr key={String(end)}><th scope="row">{timeOfDay(end)}</th>{columns.map(each => {
        const mean = series.mean(each.figure, begin, end);
        return <td class="right">{mean === null ? "–" : shortNumber(mean)}</td>;
      })}</tr>)}</tbody></table></div>;
  }

  render() {
    const { name, unit, series, lines, ticks, seconds, pointerTime, onPoint } = this.props;
    const to = series.newest || Date.now();
    const from = to - seconds * 1000;
    const greatest = Math.max(0, ...lines.flatMap(line => series.runs(line.figure, from).flatMap(run => run.map(point => point.value))));
    const axis = this.frozenAxis ?? scale(greatest);
    const y = (value: number) => HEIGHT - value / axis.top * HEIGHT;
    const summary = lines.map(line => `${line.label} ${shortNumber(series.last(line.figure) ?? 0)} ${unit}`).join(", ");
    const button = <button type="button" class="link chart-table" aria-pressed={String(this.state.isTable)}
      onClick={() => this.setState({ isTable: !this.state.isTable })}>{this.state.isTable ? "Chart" : "Table"}</button>;
    if (this.state.isTable) return <section class="chart" aria-label={name}><div class="line chart-head"><h2 class="grow">{name}</h2>{button}</div>
      {this.table(from, to)}</section>;
    return <section class="chart" aria-label={name}>
      <div class="line chart-head"><h2 class="grow">{name}</h2>{lines.map(line => <span class={`legend ${line.tone}`} key={line.label}>{line.label}
        {pointerTime !== null ? <b> {value(series.at(line.figure, pointerTime), unit)}</b> : null}</span>)}
        {ticks ? <span class="legend red tick">{ticks.label}{pointerTime !== null ? <b> {value(series.at(ticks.figure, pointerTime), "/s")}</b> : null}</span> : null}{button}</div>
      <div class="chart-box"><svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${name}: ${summary}`}
        ref={element => (this.element = element as Element)}
        onMouseEnter={() => (this.frozenAxis = axis)} onMouseMove={event => this.point(event, from, to)} onMouseLeave={() => {
          this.frozenAxis = null;
          onPoint(null);
        }}>
        {axis.ticks.map(tick => <line class="grid" x1="0" x2={String(WIDTH)} y1={String(y(tick))} y2={String(y(tick))} />)}
        <line class="grid" x1="0" x2={String(WIDTH)} y1={String(HEIGHT)} y2={String(HEIGHT)} />
        {lines.map(line => <g class={line.tone}>{series.runs(line.figure, from).map(run => {
          const points = linePoints(run, from, to, axis.top, WIDTH, HEIGHT);
          const [first, last] = [points.split(",")[0], points.split(" ").pop()!.split(",")[0]];
          return <g>{line.isFilled ? <polygon points={`${first},${HEIGHT} ${points} ${last},${HEIGHT}`} /> : null}<polyline points={points} /></g>;
        })}</g>)}
        {ticks ? <g class="red">{series.runs(ticks.figure, from).flatMap(run => run.filter(point => point.value > 0)).map(point => {
          const x = String((point.at - from) / (to - from) * WIDTH);
          return <line class="tick" x1={x} x2={x} y1={String(HEIGHT - 8)} y2={String(HEIGHT)} />;
        })}</g> : null}
        {pointerTime !== null && pointerTime >= from ? <line class="crosshair" x1={String((pointerTime - from) / (to - from) * WIDTH)}
          x2={String((pointerTime - from) / (to - from) * WIDTH)} y1="0" y2={String(HEIGHT)} /> : null}
      </svg><div class="axis" aria-hidden="true">{axis.ticks.map(tick => <span style={{ bottom: `${tick / axis.top * 100}%` }}>{shortNumber(tick)}</span>)}</div></div>
      <div class="times" aria-hidden="true">{[0, 1 / 3, 2 / 3].map(part => <span>{timeOfDay(from + (to - from) * part).slice(0, 5)}</span>)}
        <span>{pointerTime === null ? "now" : timeOfDay(pointerTime)}</span></div>
    </section>;
  }
}

function value(found: number | null, unit: string): string {
  return found === null ? "–" : `${shortNumber(found)} ${unit}`;
}

/** A small line without axes. */
export function Sparkline(props?: { series: Series; figure: string; tone: string; seconds: number }) {
  const { series, figure, tone, seconds } = props!;
  const to = series.newest || Date.now();
  const from = to - seconds * 1000;
  const runs = series.runs(figure, from);
  const { top } = scale(Math.max(0, ...runs.flatMap(run => run.map(point => point.value))));
  return <svg class={`spark ${tone}`} viewBox="0 0 160 24" preserveAspectRatio="none" aria-hidden="true">{runs.map(run =>
    <polyline points={linePoints(run, from, to, top, 160, 23)} />)}</svg>;
}
