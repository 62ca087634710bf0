import Dispatch
import Synchronization

/// A repeating timer with a queue of its own. Its work must be short.
final class Ticker: Sendable {
  private let queue = DispatchQueue(label: "hearth.cluster.tick", qos: .userInitiated)
  private let isOver = Atomic(false)
  private let milliseconds: Int
  private let work: @Sendable () -> Void

  /// Creates a timer that runs at once.
  init(everyMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
    (self.milliseconds, self.work) = (milliseconds, work)
    queue.async { self.tick() }
  }

  /// Stops: no work begins after this.
  func stop() { isOver.store(true, ordering: .relaxed) }

  private func tick() {
    guard !isOver.load(ordering: .relaxed) else { return }
    work()
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.tick() }
  }
}
