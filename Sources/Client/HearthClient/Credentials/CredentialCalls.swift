import Dispatch

/// Calls of those who listen for credentials: one after another, and apart from the app's own blocks, so that no slow one of
/// these holds up a token.
package final class CredentialCalls: Sendable {
  private let queue = DispatchQueue(label: "hearth.credentials")
  private let mark = DispatchSpecificKey<Bool>()

  /// No calls yet.
  package init() { queue.setSpecific(key: mark, value: true) }

  /// Calls `body` after all that were given before. Returns at once, so that it may be used under a lock.
  package func add(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Returns when all that were given so far are done. Not under a lock that they need; inside of one it returns at once.
  package func wait() {
    if DispatchQueue.getSpecific(key: mark) == nil { queue.sync {} }
  }
}
