import HearthPlugin
import Synchronization

/// The plugins that take events of writes: those that the server was started with, and those that come and go while it
/// runs.
final class EventReceivers: Sendable {
  private struct State {
    var further: [String: any WriteReceiver] = [:]
    var changed: (@Sendable () -> Void)?
  }

  private let own: [String: any WriteReceiver]
  private let state = Mutex(State())

  /// - Parameter own: those that the server was started with. Of two of a name the first counts.
  init(_ own: [any WriteReceiver]) { self.own = Self.byName(own) }

  /// Puts these in the place of those of the last call.
  func set(_ further: [any WriteReceiver]) {
    let changed = state.withLock { state in
      state.further = Self.byName(further)
      return state.changed
    }
    changed?()
  }

  /// - Parameter changed: told when others are there than before.
  func whenChanged(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

  func receiver(named name: String) -> (any WriteReceiver)? { own[name] ?? state.withLock { $0.further[name] } }

  private static func byName(_ receivers: [any WriteReceiver]) -> [String: any WriteReceiver] {
    Dictionary(receivers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
