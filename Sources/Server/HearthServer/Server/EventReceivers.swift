import HearthPlugin
import Synchronization

/// The plugins that receive write events: those that the server was started with, and those that are added and removed
/// while it runs.
final class EventReceivers: Sendable {
  private struct State {
    var further: [String: any WriteReceiver] = [:]
    var changed: (@Sendable () -> Void)?
  }

  private let own: [String: any WriteReceiver]
  private let state = Mutex(State())

  /// - Parameter own: the receivers that the server was started with. Of two with the same name the first counts.
  init(_ own: [any WriteReceiver]) { self.own = Self.byName(own) }

  /// Replaces the receivers that were added while the server runs.
  func set(_ further: [any WriteReceiver]) {
    let changed = state.withLock { state in
      state.further = Self.byName(further)
      return state.changed
    }
    changed?()
  }

  /// Sets the handler of changes.
  ///
  /// - Parameter changed: called when the receivers have changed.
  func whenChanged(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

  func receiver(named name: String) -> (any WriteReceiver)? { own[name] ?? state.withLock { $0.further[name] } }

  private static func byName(_ receivers: [any WriteReceiver]) -> [String: any WriteReceiver] {
    Dictionary(receivers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
