import { h } from "preact";
import { diffLines, hunks } from "./diff";

/** The differences of two texts, with a few lines around. */
export function DiffView(props?: { before: string; after: string }) {
  const lines = hunks(diffLines(props!.before, props!.after));
  if (!lines.length) return <p class="note-text">Nothing changed.</p>;
  return <div class="line-diff mono" role="group" aria-label="What changed" tabIndex={0}>{lines.map(line => line === null
    ? <div class="left-out" aria-hidden="true">⋯</div>
    : <div class={line.kind}><span class="line-number">{line.line}</span><span class="sign">{line.kind === "added" ? "+"
      : line.kind === "removed" ? "−" : " "}</span><bdi>{line.text || " "}</bdi></div>)}</div>;
}
