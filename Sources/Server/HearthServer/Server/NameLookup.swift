import Dispatch
import Synchronization

/// A lookup of existing databases, for requests for an unknown one: one lookup at a time, for all requests before it
/// began. So invented names cost at most one lookup after another.
final class NameLookup: Sendable {
  /// Takes the names; nil when they could not be read.
  typealias Then = @Sendable ([String]?) -> Void

  /// The maximum number of waiting requests; others get nil.
  private static let waitingMax = 1_024

  private struct State {
    var waiting: [Then] = []
    var isLooking = false
  }

  private let lookUp: @Sendable () -> [String]?
  private let queue = DispatchQueue(label: "hearth.names")
  private let state = Mutex(State())

  /// - Parameter lookUp: returns the names; nil when they could not be read. Blocks.
  init(_ lookUp: @escaping @Sendable () -> [String]?) { self.lookUp = lookUp }

  /// Starts a lookup after this call; `then` is called with the names, on another thread or at once.
  func lookUp(_ then: @escaping Then) {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.waiting.count < Self.waitingMax else { return (false, false) }
      state.waiting.append(then)
      defer { state.isLooking = true }
      return (true, !state.isLooking)
    }
    guard isTaken else { return then(nil) }
    if isFirst { queue.async { self.run() } }
  }

  private func run() {
    while true {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        state.isLooking = !state.waiting.isEmpty
        return state.waiting
      }
      guard !waiting.isEmpty else { return }
      let names = lookUp()
      for then in waiting { then(names) }
    }
  }
}
