import { h } from "preact";
import { formatCount } from "../format/number";
import { plural } from "../format/text";
import { Store, View } from "../state/store";
import { End, Order } from "../tree/order";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Menu, MenuItem } from "../widgets/menu";
import { SegmentedControl } from "../widgets/segmentedControl";
import { DataController } from "./controller";
import { OrderSheet } from "./orderSheet";

/** The rate above which single changes cannot be followed: rates and samples are shown. */
const READABLE_CHANGES_PER_SECOND = 200;

interface State {
  anchor: Element | null;
  isChoosingChild: boolean;
}

/** The bar of the open node: the order of its children, the end, the filter, and the rate of changes. */
export class OrderBar extends View<{ data: DataController }, State> {
  override state: State = { anchor: null, isChoosingChild: false };

  protected stores(): Store[] {
    return [this.props.data];
  }

  private get branch() {
    return this.props.data.currentBranch;
  }

  render() {
    const { data } = this.props;
    const { anchor, isChoosingChild } = this.state;
    const branch = this.branch;
    const end = branch?.end ?? "first";
    const canJump = branch?.order.by === "key" && branch.hasGaps;
    return <div class="data-bar">
      <Button label={orderName(branch?.order)} icon="filter" kind="quiet" popup="menu"
        onPress={event => this.setState({ anchor: event.currentTarget as Element })} />
      <SegmentedControl name="End" value={end} options={[{ value: "first", label: "First" }, { value: "last", label: "Last" }]}
        onChoose={(value: End) => this.choose(branch?.order, value)} />
      {canJump ? <Button label="From key" kind="quiet" onPress={() => data.open("goto", branch)} /> : null}
      <div class="field soft"><Icon name="search" /><input type="search" aria-label="Filter what is loaded"
        placeholder="Filter what is loaded" value={data.route.filter}
        spellCheck={false} autocomplete="off" onInput={event => data.filter((event.target as HTMLInputElement).value)}
        onKeyDown={event => event.key === "Escape" && data.filter("")} /></div>
      {data.route.filter ? <span class="note-text">{formatCount(data.lines.count && data.matches)} found</span> : null}
      <span class="rates">{this.rates()}</span>
      <Button label={data.isPaused ? "Resume" : "Pause"} icon={data.isPaused ? "play" : "pause"} kind="quiet" shrinks
        onPress={() => data.pause(!data.isPaused)} />
      {anchor ? <Menu name="Order" anchor={anchor} items={this.orders()} onClose={() => this.setState({ anchor: null })} /> : null}
      {isChoosingChild ? <OrderSheet onClose={() => this.setState({ isChoosingChild: false })}
        onChoose={child => this.choose({ by: "child", child }, end)} /> : null}
    </div>;
  }

  private rates() {
    const rate = this.props.data.model?.activity.rate ?? 0;
    if (this.props.data.isPaused) return <span>Paused: the data is not updated</span>;
    if (rate < 0.5) return null as unknown as JSX.Element;
    const whole = Math.max(1, Math.round(rate));
    return <span><b>{formatCount(whole)}</b> {plural(whole, "change")} a second{rate > READABLE_CHANGES_PER_SECOND
      ? ": rates and samples are shown" : ""}</span>;
  }

  private choose(order: Order | undefined, end: End): void {
    this.props.data.order(order ?? { by: "key" }, end);
  }

  private orders(): MenuItem[] {
    const order = this.branch?.order;
    const end = this.branch?.end ?? "first";
    const simple = (by: "key" | "value" | "priority", label: string) => ({ label, isChosen: order?.by === by,
      run: () => this.choose({ by }, end) });
    return [
      simple("key", "By key"), simple("value", "By value"), simple("priority", "By priority"),
      { label: order?.by === "child" ? `By child ${order.child}` : "By a child…", isChosen: order?.by === "child",
        run: () => this.setState({ isChoosingChild: true }) },
    ];
  }
}

function orderName(order: Order | undefined): string {
  switch (order?.by) {
    case "value": return "Value";
    case "priority": return "Priority";
    case "child": return order.child;
    default: return "Key";
  }
}
