import { h } from "preact";
import { Button } from "../widgets/button";
import { Notices } from "../state/notices";
import { Store, View } from "../state/store";

export class Toasts extends View<{ notices: Notices }> {
  protected stores(): Store[] {
    return [this.props.notices];
  }

  render() {
    const { notices } = this.props;
    return <div style={{ display: "contents" }}>
      <div class="toasts" role="region" aria-label="Notices">{notices.list.map(notice => <div class={`toast ${notice.tone}`} key={String(notice.id)}>
        <span class="grow">{notice.text}</span>
        {notice.action ? <Button label={notice.action.label} onPress={() => {
          notices.close(notice.id);
          void notice.action!.run();
        }} /> : null}
        <Button label="Close" icon="cross" onlyIcon onPress={() => notices.close(notice.id)} />
      </div>)}</div>
      <div class="only-read" aria-live="polite">{notices.spoken}</div>
    </div>;
  }
}
