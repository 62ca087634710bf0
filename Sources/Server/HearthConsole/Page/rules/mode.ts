import CodeMirror from "codemirror/lib/codemirror";
import { FUNCTIONS } from "./functions";
import { VARIABLES } from "./language";

interface State {
  /** The construct that the line begins in: a comment of several lines, or a condition. */
  inside: "comment" | "condition" | null;
}

/** The highlighting of a rules file: JSON with comments, whose texts are conditions. */
CodeMirror.defineMode("hearth-rules", () => ({
  startState: (): State => ({ inside: null }),
  copyState: (state: State): State => ({ ...state }),
  token(stream: CodeMirror.Stream, state: State): string | null {
    if (state.inside === "comment") return comment(stream, state);
    if (state.inside === "condition") return condition(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) return comment(stream, Object.assign(state, { inside: "comment" }));
    const key = matched(stream, /^"(?:[^"\\]|\\.)*"(?=\s*:)/);
    if (key) return key.startsWith('".') ? "rule" : key.startsWith('"$') ? "wildcard" : "key";
    if (stream.match('"')) {
      state.inside = "condition";
      return "quote";
    }
    if (stream.match(/^(true|false|null)\b/)) return "atom";
    if (stream.match(/^-?\d+(\.\d+)?/)) return "number";
    stream.next();
    return "bracket";
  },
  lineComment: "//",
}));

/** Returns the matching part of the line, and advances behind it. */
function matched(stream: CodeMirror.Stream, pattern: RegExp): string | null {
  const found = stream.match(pattern);
  return found && typeof found === "object" ? found[0] ?? null : null;
}

function comment(stream: CodeMirror.Stream, state: State): string {
  if (stream.match(/^.*?\*\//)) state.inside = null;
  else stream.skipToEnd();
  return "comment";
}

function condition(stream: CodeMirror.Stream, state: State): string | null {
  if (stream.match('"')) {
    state.inside = null;
    return "quote";
  }
  if (stream.eatSpace()) return "condition";
  if (stream.match(/^'(?:[^'\\"]|\\.)*'?/)) return "text";
  if (stream.match(/^\\"(?:[^"\\]|\\[^"])*\\"/)) return "text";
  const word = matched(stream, /^[$\w]+/);
  if (!word) {
    stream.next();
    return "condition";
  }
  if (/^\d/.test(word)) return "number";
  if (word.startsWith("$")) return "wildcard";
  if (word === "true" || word === "false" || word === "null") return "atom";
  if (Object.prototype.hasOwnProperty.call(VARIABLES, word)) return "variable";
  return Object.prototype.hasOwnProperty.call(FUNCTIONS, word) ? "method" : "condition";
}
