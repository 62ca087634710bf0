/** The part of Debian's CodeMirror 5 that the editor uses. */
declare module "codemirror/lib/codemirror" {
  namespace CodeMirror {
    interface Position { line: number; ch: number }
    interface Stream {
      string: string;
      pos: number;
      start: number;
      sol(): boolean;
      eol(): boolean;
      peek(): string | null;
      next(): string | undefined;
      eatSpace(): boolean;
      skipToEnd(): void;
      match(pattern: string | RegExp, consume?: boolean): boolean | RegExpMatchArray | null;
    }
    interface Mark { clear(): void }
    interface Token { start: number; end: number; string: string; type: string | null; state?: { inside?: string | null } }
    interface Hints { list: { text: string; displayText?: string; className?: string }[]; from: Position; to: Position }
    interface Editor {
      getValue(): string;
      setValue(text: string): void;
      getLine(line: number): string | undefined;
      lineCount(): number;
      on(event: string, handler: (...values: any[]) => void): void;
      markText(from: Position, to: Position, options: { className?: string; title?: string }): Mark;
      setGutterMarker(line: number, gutter: string, element: HTMLElement | null): unknown;
      clearGutter(gutter: string): void;
      addLineClass(line: number, where: string, name: string): unknown;
      removeLineClass(line: number, where: string, name?: string): unknown;
      scrollIntoView(position: Position | { from: Position; to: Position }, margin?: number): void;
      setCursor(position: Position): void;
      getCursor(): Position;
      getTokenAt(position: Position): Token;
      coordsChar(place: { left: number; top: number }): Position;
      setOption(name: string, value: unknown): void;
      getWrapperElement(): HTMLElement;
      getInputField(): HTMLElement;
      refresh(): void;
      focus(): void;
      operation<Result>(work: () => Result): Result;
      showHint(options: object): void;
      execCommand(name: string): void;
      replaceSelection(text: string): void;
      somethingSelected(): boolean;
      addKeyMap(map: object): void;
    }
    function defineMode(name: string, make: () => object): void;
    /** Returned by a key's handler that leaves the key to others. */
    const Pass: unknown;
  }
  function CodeMirror(place: (element: HTMLElement) => void, options: object): CodeMirror.Editor;
  export default CodeMirror;
}
declare module "codemirror/addon/hint/show-hint";
declare module "codemirror/addon/edit/matchbrackets";
declare module "codemirror/addon/edit/closebrackets";
declare module "codemirror/addon/selection/active-line";
