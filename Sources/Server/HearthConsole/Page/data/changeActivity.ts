import { Path, pathText } from "../tree/keys";

/** The duration of a changed row's glow, in milliseconds. */
export const GLOW_MILLISECONDS = 2600;
/** The rate above which a row no longer flashes and shows its rate alone. */
export const FLASHES_PER_SECOND_MAXIMUM = 3;

const TICK = 1000;
const NEVER = -Infinity;

class ActivityCounter {
  count = 0;
  rate = 0;
  constructor(public at: number) {}
}

export class ChangeActivity {
  /** The changes a second of all loaded data together. */
  rate = 0;
  private readonly exact = new Map<string, ActivityCounter>();
  private readonly below = new Map<string, ActivityCounter>();
  private readonly children = new Map<string, ActivityCounter>();
  private readonly commits = new Map<string, ActivityCounter>();
  private count = 0;
  private ticked = 0;

  recordChange(path: Path, now: number): void {
    this.count++;
    let text = "";
    for (let depth = 0; depth < path.length; depth++) {
      if (depth === path.length - 1) countChange(this.children, text, now);
      text += "/" + path[depth];
      countChange(depth === path.length - 1 ? this.exact : this.below, text, now);
    }
  }

  /** Records commits at or below a path, as the server counts them. */
  recordCommits(text: string, count: number, now: number): void {
    const tally = this.commits.get(text) ?? new ActivityCounter(NEVER);
    if (count > 0) tally.at = now;
    tally.count += count;
    this.commits.set(text, tally);
  }

  /** Turns counts into rates. Called each second. */
  tick(now: number): void {
    const seconds = Math.max(0.2, (now - this.ticked) / TICK);
    this.ticked = now;
    this.rate = smooth(this.rate, this.count / seconds);
    this.count = 0;
    for (const tallies of [this.exact, this.below, this.children, this.commits]) {
      for (const [text, tally] of tallies) {
        tally.rate = smooth(tally.rate, tally.count / seconds);
        tally.count = 0;
        if (tally.rate < 0.05 && now - tally.at > 2 * GLOW_MILLISECONDS) tallies.delete(text);
      }
    }
  }

  /** Returns the time of the node's own last change. */
  changedAt(path: Path): number {
    return this.exact.get(pathText(path))?.at ?? NEVER;
  }

  /** Returns the time of the last change at or below the node. */
  changedBelowAt(path: Path): number {
    const text = pathText(path);
    return Math.max(this.exact.get(text)?.at ?? NEVER, this.below.get(text)?.at ?? NEVER, this.commits.get(text)?.at ?? NEVER);
  }

  ownRate(path: Path): number {
    return this.exact.get(pathText(path))?.rate ?? 0;
  }

  rateBelow(path: Path): number {
    const text = pathText(path);
    return this.commits.get(text)?.rate ?? (this.below.get(text)?.rate ?? 0) + (this.exact.get(text)?.rate ?? 0);
  }

  /** Returns the rate of changes of the node's children themselves. */
  rateOfChildren(path: Path): number {
    return this.children.get(path.length ? pathText(path) : "")?.rate ?? 0;
  }

  clear(): void {
    for (const tallies of [this.exact, this.below, this.children, this.commits]) tallies.clear();
    this.count = this.rate = 0;
  }
}

function countChange(tallies: Map<string, ActivityCounter>, text: string, now: number): void {
  const tally = tallies.get(text);
  if (tally) {
    tally.at = now;
    tally.count++;
  } else {
    const made = new ActivityCounter(now);
    made.count = 1;
    tallies.set(text, made);
  }
}

function smooth(before: number, sample: number): number {
  const rate = before * 0.4 + sample * 0.6;
  return rate < 0.02 ? 0 : rate;
}
