import { Component } from "preact";

/** An observable state. Changes are announced once a frame, overlays at once. */
export class Store {
  private readonly observers = new Set<() => void>();
  private isWaiting = false;

  observe(observer: () => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  publish(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    // A hidden tab has no frames; its observers are still notified.
    const tell = () => {
      if (!this.isWaiting) return;
      this.isWaiting = false;
      for (const observer of [...this.observers]) observer();
    };
    if (document.hidden) setTimeout(tell, 50);
    else requestAnimationFrame(tell);
  }

  /** Draws the observers before it returns: an opened overlay has the keyboard before the next key is pressed. */
  publishNow(): void {
    this.isWaiting = false;
    for (const observer of [...this.observers]) observer();
  }
}

/** A component that is drawn again whenever one of its stores changes. */
export abstract class View<Props = {}, State = {}> extends Component<Props, State> {
  private stops: (() => void)[] = [];
  private isMounted = false;

  /** The stores that this view shows. */
  protected abstract stores(): Store[];

  override componentDidMount(): void {
    this.isMounted = true;
    this.stops = this.stores().map(store => store.observe(() => this.isMounted && this.forceUpdate()));
  }

  override componentWillUnmount(): void {
    this.isMounted = false;
    for (const stop of this.stops) stop();
  }
}
