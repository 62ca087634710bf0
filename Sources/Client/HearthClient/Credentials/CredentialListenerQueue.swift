import Dispatch

/// The serial queue of calls to credential listeners, separate from the app's callback queue, so that a slow block on
/// that queue does not delay a token.
package final class CredentialListenerQueue: Sendable {
  private let queue = DispatchQueue(label: "hearth.credentials")
  private let mark = DispatchSpecificKey<Bool>()

  /// Creates an empty queue.
  package init() { queue.setSpecific(key: mark, value: true) }

  /// Calls `body` after all earlier ones. Returns at once, so that it may be called under a lock.
  package func add(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Waits until all earlier calls are done. Must not be called while holding a lock that those calls need. Returns at
  /// once when called from within a call.
  package func wait() {
    if DispatchQueue.getSpecific(key: mark) == nil { queue.sync {} }
  }
}
