import Dispatch
import Synchronization

/// Does something again and again, on a queue of its own, until it is stopped. What it does is short.
final class Ticker: Sendable {
  private let queue = DispatchQueue(label: "hearth.cluster.tick", qos: .userInitiated)
  private let isOver = Atomic(false)
  private let milliseconds: Int
  private let work: @Sendable () -> Void

  /// Begins at once.
  init(everyMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
    (self.milliseconds, self.work) = (milliseconds, work)
    queue.async { self.tick() }
  }

  /// Nothing is begun after this.
  func stop() { isOver.store(true, ordering: .relaxed) }

  private func tick() {
    guard !isOver.load(ordering: .relaxed) else { return }
    work()
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.tick() }
  }
}
