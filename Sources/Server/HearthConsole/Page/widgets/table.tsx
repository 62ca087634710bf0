import { Component, h } from "preact";

export interface Column<Row> {
  name: string;
  /** The column's width, as in a grid. */
  width: string;
  /** True when the column is right-aligned. */
  isRight?: boolean;
  /** True when the column is hidden on narrow screens. */
  isRoomy?: boolean;
  /** The column's name for sorting; undefined when rows cannot be sorted by it. */
  order?: string;
  cell: (row: Row) => JSX.Element | string | null;
}

export interface Sorting {
  order: string;
  isDescending: boolean;
}

interface Props<Row> {
  name: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  chosen: string | null;
  onChoose: (row: Row) => void;
  /** Called when the last rows are visible. */
  onEnd?: () => void;
  sorting?: Sorting | null;
  onSort?: (sorting: Sorting | null) => void;
  /** The content in place of rows. */
  empty?: JSX.Element | null;
}

const ROW_HEIGHT = 36;
const NARROW_ROW_HEIGHT = 48;
/** The number of rows drawn above and below the visible ones. */
const OVERSCAN = 8;

/** A table of any number of rows, of which the visible ones are elements. */
export class Table extends Component<Props<any>, { from: number; to: number }> {
  override state = { from: 0, to: 60 };
  private body: HTMLElement | null = null;

  override componentDidMount(): void {
    this.updateRange();
  }

  override componentDidUpdate(): void {
    this.updateRange();
  }

  private get rowHeight(): number {
    return innerWidth <= 820 ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  }

  private updateRange(): void {
    const body = this.body;
    if (!body) return;
    const from = Math.max(0, Math.floor(body.scrollTop / this.rowHeight) - OVERSCAN);
    const to = Math.ceil((body.scrollTop + body.clientHeight) / this.rowHeight) + OVERSCAN;
    if (from !== this.state.from || to !== this.state.to) this.setState({ from, to });
    if (to >= this.props.rows.length) this.props.onEnd?.();
  }

  private key(event: KeyboardEvent): void {
    const { rows, keyOf, chosen, onChoose } = this.props;
    const at = rows.findIndex(row => keyOf(row) === chosen);
    const page = Math.max(1, Math.floor((this.body?.clientHeight ?? 0) / this.rowHeight) - 1);
    const steps: { [key: string]: number } = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page,
      Home: -rows.length, End: rows.length };
    const step = steps[event.key];
    if (step === undefined || !rows.length || event.metaKey || event.ctrlKey) return;
    const next = Math.max(0, Math.min(rows.length - 1, at + step));
    onChoose(rows[next]);
    this.show(next);
    event.preventDefault();
    event.stopPropagation();
  }

  private show(at: number): void {
    const body = this.body!;
    const top = at * this.rowHeight;
    if (top < body.scrollTop) body.scrollTop = top;
    if (top + this.rowHeight > body.scrollTop + body.clientHeight) body.scrollTop = top + this.rowHeight - body.clientHeight;
  }

  private sortOf(column: Column<any>): "ascending" | "descending" | undefined {
    const { sorting } = this.props;
    if (!column.order || sorting?.order !== column.order) return undefined;
    return sorting.isDescending ? "descending" : "ascending";
  }

  /** Cycles through ascending, descending and the original order. */
  private head(column: Column<any>): JSX.Element | string {
    const { onSort } = this.props;
    const { order } = column;
    if (!order || !onSort) return column.name;
    const sort = this.sortOf(column);
    const next = sort === "descending" ? null : { order, isDescending: sort === "ascending" };
    return <button type="button" class="sort" onClick={() => onSort(next)}>{column.name}
      {sort ? <span aria-hidden="true">{sort === "ascending" ? " \u2191" : " \u2193"}</span> : null}</button>;
  }

  render() {
    const { name, columns, rows, keyOf, chosen, onChoose, empty } = this.props;
    const { from, to } = this.state;
    const grid = columns.map(column => column.width).join(" ");
    const cellName = (column: Column<any>) => `cell${column.isRight ? " right" : ""}${column.isRoomy ? " roomy-cell" : ""}`;
    const shown = rows.slice(from, to);
    return <div class="table" role="grid" aria-label={name} aria-rowcount={String(rows.length + 1) as any}>
      <div class="table-head" role="row" style={{ gridTemplateColumns: grid }}>{columns.map(column =>
        <span class={cellName(column)} role="columnheader" key={column.name} aria-sort={this.sortOf(column)}>{this.head(column)}</span>)}</div>
      <div class="table-body" role="rowgroup" tabIndex={0} aria-label={`${name}, rows`} ref={element => (this.body = element as HTMLElement)} onScroll={() => this.updateRange()}
        onKeyDown={event => this.key(event)}>
        {rows.length ? <div role="presentation" style={{ height: `${rows.length * this.rowHeight}px` }} class="table-rows">{shown.map((row, index) =>
          <div class="table-row" role="row" key={keyOf(row)} aria-selected={String(keyOf(row) === chosen)} aria-rowindex={String(from + index + 2) as any}
            style={{ gridTemplateColumns: grid, height: `${this.rowHeight}px`, top: `${(from + index) * this.rowHeight}px` }}
            onClick={() => onChoose(row)}>{columns.map(column => <span class={cellName(column)} role="gridcell" key={column.name}>
              {column.cell(row)}</span>)}</div>)}</div> : <div role="row"><div role="gridcell">{empty ?? null}</div></div>}
      </div>
    </div>;
  }
}
