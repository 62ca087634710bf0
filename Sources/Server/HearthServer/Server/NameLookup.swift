import Dispatch
import Synchronization

/// Looks which databases there are, for whoever asks for one that is not known: one look at a time, for all who asked before
/// it began. So names that somebody makes up cost a look after another, and no more.
final class NameLookup: Sendable {
  /// Gets the names; nil when nobody knows.
  typealias Then = @Sendable ([String]?) -> Void

  /// Who may wait for a look; others are told that nobody knows.
  private static let waitingMax = 1_024

  private struct State {
    var waiting: [Then] = []
    var isLooking = false
  }

  private let look: @Sendable () -> [String]?
  private let queue = DispatchQueue(label: "hearth.names")
  private let state = Mutex(State())

  /// - Parameter look: gives the names; nil when nobody knows. Blocks.
  init(_ look: @escaping @Sendable () -> [String]?) { self.look = look }

  /// Has a look begin after this; `then` is called with the names, on another thread or at once.
  func look(_ then: @escaping Then) {
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
      let names = look()
      for then in waiting { then(names) }
    }
  }
}
