/** The metrics of the last hour or day: a sample each few seconds or each minute, of named figures. */
export interface FigureResponse {
  intervalMilliseconds: number;
  figures: string[];
  samples: (number | null)[][];
}

export interface Point {
  at: number;
  value: number;
}

export const HOUR = 3_600_000;

/** Samples by time. */
export class Series {
  constructor(private readonly period = HOUR) {}

  private names: string[] = [];
  private samples: (number | null)[][] = [];
  interval = 2000;

  get newest(): number {
    return this.samples.length ? this.samples[this.samples.length - 1]![0]! : 0;
  }

  /** True when there is a line to draw. */
  get hasLine(): boolean {
    return this.samples.length > 1;
  }

  append(answer: FigureResponse): void {
    [this.names, this.interval] = [answer.figures, answer.intervalMilliseconds];
    const { newest } = this;
    this.samples.push(...answer.samples.filter(sample => sample[0]! > newest));
    const oldest = this.newest - this.period;
    const first = this.samples.findIndex(sample => sample[0]! >= oldest);
    if (first > 0) this.samples.splice(0, first);
  }

  /** Returns the newest value; null when it could not be measured. */
  last(name: string): number | null {
    const at = this.names.indexOf(name) + 1;
    const sample = this.samples[this.samples.length - 1];
    return at > 0 && sample ? sample[at] ?? null : null;
  }

  sum(name: string, since: number): number {
    return this.between(name, since).reduce((sum, point) => sum + point.value, 0) * this.interval / 1000;
  }

  private between(name: string, since: number): Point[] {
    const at = this.names.indexOf(name) + 1;
    if (at === 0) return [];
    return this.samples.filter(sample => sample[0]! >= since && sample[at] !== null && sample[at] !== undefined)
      .map(sample => ({ at: sample[0]!, value: sample[at]! }));
  }

  /** Returns the mean of the samples after a time, up to another; null when there are none. */
  mean(name: string, after: number, until: number): number | null {
    const points = this.between(name, after).filter(point => point.at > after && point.at <= until);
    return points.length ? points.reduce((sum, point) => sum + point.value, 0) / points.length : null;
  }

  /** Returns runs of points without a gap: the line is broken where samples are missing. */
  runs(name: string, since: number): Point[][] {
    const runs: Point[][] = [];
    let before = -Infinity;
    for (const point of this.between(name, since)) {
      if (point.at - before > this.interval * 2.5) runs.push([]);
      runs[runs.length - 1]!.push(point);
      before = point.at;
    }
    return runs;
  }

  /** Returns the value at a time, or the nearest within two samples; null in a gap. */
  at(name: string, time: number): number | null {
    let best: Point | null = null;
    for (const point of this.between(name, time - this.interval * 2)) {
      if (!best || Math.abs(point.at - time) < Math.abs(best.at - time)) best = point;
    }
    return best && Math.abs(best.at - time) <= this.interval * 2 ? best.value : null;
  }
}

/** Returns a round number that is not below the greatest value, and the lines to draw up to it. */
export function scale(greatest: number): { top: number; ticks: number[] } {
  if (!(greatest > 0)) return { top: 1, ticks: [0.5, 1] };
  const power = 10 ** Math.floor(Math.log10(greatest));
  const top = [1, 2, 4, 5, 10].map(each => each * power).find(each => each >= greatest * 0.999)!;
  return { top, ticks: [top / 2, top] };
}

/** Returns a polyline's points in a box, in the format of SVG. */
export function linePoints(run: readonly Point[], from: number, to: number, top: number, width: number, height: number): string {
  return run.map(({ at, value }) => {
    const x = (at - from) / (to - from) * width;
    const y = height - Math.min(1, value / top) * height;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  }).join(" ");
}
