import Dispatch

/// The serial queue of calls to credential listeners, separate from the app's callback queue, so that a slow block
/// there delays no token.
package final class CredentialListenerQueue: Sendable {
  private let queue = DispatchQueue(label: "hearth.credentials")
  private let mark = DispatchSpecificKey<Bool>()

  /// An empty queue.
  package init() { queue.setSpecific(key: mark, value: true) }

  /// Calls `body` after all earlier ones. Returns at once, so that it may be called under a lock.
  package func add(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Waits until all earlier calls are done. It must not be called under a lock that they need; inside a call it
  /// returns at once.
  package func wait() {
    if DispatchQueue.getSpecific(key: mark) == nil { queue.sync {} }
  }
}
