import CodeMirror from "codemirror/lib/codemirror";
import "codemirror/addon/hint/show-hint";
import "codemirror/addon/edit/matchbrackets";
import "codemirror/addon/edit/closebrackets";
import "codemirror/addon/selection/active-line";
import "./mode";
import { Component, h } from "preact";
import { formatCount, shortNumber } from "../format/number";
import { decidingVisit, partsOf } from "../why/explanation";
import { RulesController } from "./controller";
import { Completion, completions, helpFor, keysAbove, isOwnQuote, typedKey } from "./language";

interface Props {
  rules: RulesController;
  /** The line to scroll into view. */
  line: number | null;
  onTry: () => void;
  onDeploy: () => void;
}

/** The editor of the rules, with problems, the count of each rule, and the failure of the selected denial. */
export class EditorPane extends Component<Props, {}> {
  private container: HTMLElement | null = null;
  private editor: CodeMirror.Editor | null = null;
  private marks: CodeMirror.Mark[] = [];
  private lineClasses: number[] = [];
  private shownDenial: unknown = null;
  private shownLine: number | null = null;
  private stop = () => {};

  override componentDidMount(): void {
    const { rules } = this.props;
    this.editor = CodeMirror(element => this.container!.append(element), {
      value: rules.text, mode: "hearth-rules", lineNumbers: true, lineWrapping: true, theme: "hearth", tabSize: 2, indentUnit: 2,
      matchBrackets: true, autoCloseBrackets: true, styleActiveLine: true, readOnly: rules.readOnlyReason !== null,
      gutters: ["rule-counts", "CodeMirror-linenumbers", "rule-bar"], screenReaderLabel: "Rules", inputStyle: "contenteditable",
      extraKeys: this.keys(),
    });
    // Before the addon that closes quotes: it takes a quote before another one for the end of a text.
    this.editor.addKeyMap({ "'\"'": (editor: CodeMirror.Editor) => this.typeQuote(editor) });
    this.editor.on("change", () => rules.edit(this.editor!.getValue()));
    this.editor.on("inputRead", (_: unknown, change: { text: string[]; origin: string }) => {
      if (change.origin === "+input" && /^[.$a-zA-Z]$/.test(change.text[0] ?? "")) this.complete();
    });
    this.editor.getWrapperElement().addEventListener("mousemove", event => this.showHelp(event));
    this.stop = rules.observe(() => this.draw());
    this.draw();
    this.showLine();
  }

  override componentWillUnmount(): void {
    this.stop();
  }

  override componentDidUpdate(): void {
    this.showLine();
  }

  /** Makes the next Tab leave the editor, after Esc. */
  private releaseTab(): void {
    this.editor!.setOption("extraKeys", this.keysWithoutTab());
    this.editor!.getInputField().addEventListener("blur", () => this.editor!.setOption("extraKeys", this.keys()), { once: true });
  }

  private keys(): object {
    return { ...this.keysWithoutTab(), Tab: (editor: CodeMirror.Editor) => editor.replaceSelection("  ") };
  }

  private keysWithoutTab(): object {
    const { rules, onTry, onDeploy } = this.props;
    return {
      "Ctrl-Space": () => this.complete(), "Cmd-Enter": onTry, "Ctrl-Enter": onTry, "Shift-Cmd-Enter": onDeploy,
      "Shift-Ctrl-Enter": onDeploy, "Cmd-S": () => void rules.check(), "Ctrl-S": () => void rules.check(),
      "Esc": () => this.releaseTab(), "Tab": false, "Shift-Tab": false,
    };
  }

  /** Types a quote before one that is not its end; any other is left to the addon. */
  private typeQuote(editor: CodeMirror.Editor): unknown {
    const { line, ch } = editor.getCursor();
    const text = editor.getLine(line) ?? "";
    const startsInside = editor.getTokenAt({ line, ch: 0 }).state?.inside === "condition";
    if (text[ch] !== '"' || editor.somethingSelected() || !isOwnQuote(text.slice(0, ch), text.slice(ch), startsInside)) return CodeMirror.Pass;
    editor.replaceSelection('"');
    return undefined;
  }

  private complete(): void {
    this.editor!.showHint({
      completeSingle: false,
      hint: async (editor: CodeMirror.Editor): Promise<CodeMirror.Hints | undefined> => {
        const { line, ch } = editor.getCursor();
        const lines = editor.getValue().split("\n");
        const found = [...completions(lines, line, ch), ...await this.keysOfData(lines, line, ch)];
        if (!found.length) return undefined;
        return { list: found.map(({ text, help }) => ({ text, displayText: `${text}   ${help}` })), to: { line, ch },
          from: { line, ch: found[0]!.from } };
      },
    });
  }

  /** Returns the database's keys at the path of the rule under the cursor. */
  private async keysOfData(lines: string[], line: number, column: number): Promise<Completion[]> {
    const key = typedKey(lines[line] ?? "", column);
    const places = key && keysAbove(lines, line);
    if (!key || !places) return [];
    const names = await this.props.rules.keysBelow(places, key.typed);
    return names.map(name => ({ text: name, help: "in the database", from: key.from }));
  }

  private showHelp(event: MouseEvent): void {
    const editor = this.editor!;
    const at = editor.coordsChar({ left: event.clientX, top: event.clientY });
    // The problem of a word is shown at its mark, before this help.
    const help = helpFor(editor.getTokenAt({ line: at.line, ch: at.ch + 1 }).string);
    const wrapper = editor.getWrapperElement();
    if (help) wrapper.title = help;
    else wrapper.removeAttribute("title");
  }

  private draw(): void {
    const { rules } = this.props;
    const editor = this.editor;
    if (!editor) return;
    if (editor.getValue() !== rules.text) editor.setValue(rules.text);
    editor.operation(() => {
      for (const mark of this.marks) mark.clear();
      for (const at of this.lineClasses) editor.removeLineClass(at, "background");
      this.marks = [];
      this.lineClasses = [];
      editor.clearGutter("rule-counts");
      editor.clearGutter("rule-bar");
      this.drawChanges(editor);
      this.drawProblems(editor);
      this.drawCounts(editor);
      this.drawDenial(editor);
    });
  }

  private showLine(): void {
    const { line } = this.props;
    if (line === null || line === this.shownLine) return;
    this.shownLine = line;
    this.editor!.scrollIntoView({ line: line - 1, ch: 0 }, 120);
    this.editor!.setCursor({ line: line - 1, ch: 0 });
  }

  private drawChanges(editor: CodeMirror.Editor): void {
    for (const line of this.props.rules.changedLines) {
      const mark = document.createElement("span");
      mark.className = "changed-line";
      mark.title = "changed";
      mark.textContent = "~";
      editor.setGutterMarker(line - 1, "rule-bar", mark);
    }
  }

  private drawProblems(editor: CodeMirror.Editor): void {
    for (const problem of this.props.rules.problems) {
      const text = editor.getLine(problem.line - 1);
      if (text === undefined) continue;
      const from = Math.min(problem.column - 1, Math.max(0, text.length - 1));
      const word = /^[$\w.]+|^./.exec(text.slice(from));
      this.marks.push(editor.markText({ line: problem.line - 1, ch: from }, { line: problem.line - 1, ch: from + (word?.[0]?.length ?? 1) },
        { className: `rule-${problem.severity}`, title: problem.message + (problem.help ? " " + problem.help : "") }));
    }
  }

  /** Draws each rule's counts at its first line. In an edit, the lines that are as they were keep theirs. */
  private drawCounts(editor: CodeMirror.Editor): void {
    const { rules } = this.props;
    for (const { line: counted, allowed, refused } of rules.coverage ?? []) {
      const line = rules.isChanged ? rules.keptLines.get(counted) : counted;
      if (line === undefined) continue;
      const counts = document.createElement("span");
      counts.className = "counts-of-rule";
      counts.title = allowed + refused ? `true ${formatCount(allowed)} times, not true ${formatCount(refused)} times` : "never asked";
      counts.append(countCell(allowed + refused ? shortNumber(allowed) : "never", ""), countCell(refused ? shortNumber(refused) : "", "red-text"));
      editor.setGutterMarker(line - 1, "rule-counts", counts);
      const bar = document.createElement("span");
      bar.className = "rule-mark " + (allowed + refused === 0 ? "never" : refused ? "some" : "all");
      editor.setGutterMarker(line - 1, "rule-bar", bar);
    }
  }

  /** Marks the deciding rule; of its parts, the true ones are underlined, and the false one with a wave. */
  private drawDenial(editor: CodeMirror.Editor): void {
    const { rules } = this.props;
    const { explained } = rules;
    if (!explained || "problem" in explained || !explained.inForce) return;
    const visit = decidingVisit(explained.explanation);
    if (!visit) return;
    const first = visit.line - 1;
    if (!rules.isChanged || editor.getLine(first)?.includes(visit.expression?.text ?? "\n")) {
      editor.addLineClass(first, "background", "denied-line");
      this.lineClasses.push(first);
    }
    for (const part of partsOf(visit)) {
      const { line, column, endLine, endColumn, text } = part.traced;
      const there = editor.getLine(line - 1)?.slice(column - 1);
      if (part.mark === "unasked" || (rules.isChanged && !there?.startsWith(text))) continue;
      this.marks.push(editor.markText({ line: line - 1, ch: column - 1 }, { line: endLine - 1, ch: endColumn - 1 },
        { className: part.mark === "held" ? "part-held" : "part-failed" }));
    }
    if (this.shownDenial !== rules.denial) {
      this.shownDenial = rules.denial;
      editor.scrollIntoView({ line: first, ch: 0 }, 140);
    }
  }

  render() {
    return <div class="rules-editor" ref={element => (this.container = element as HTMLElement)} />;
  }
}

function countCell(text: string, name: string): HTMLElement {
  const cell = document.createElement("span");
  cell.className = name;
  cell.textContent = text;
  return cell;
}
