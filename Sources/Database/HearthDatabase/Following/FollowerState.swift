import Dispatch
import Synchronization

/// The additional state of a ``Database`` that follows a log written elsewhere.
final class FollowerState: Sendable {
  /// The connection to the log's owner.
  let owner: any OwnerConnection
  /// The requests to the owner. Used on the deciding queue.
  let forwarding = Mutex(ForwardingQueue())
  /// Draws the numbers of sessions.
  let makeSession: @Sendable () -> UInt64
  /// True when so many commands wait to be forwarded that the server should stop reading from their connections.
  let isCrowded = Atomic(false)
  /// True when a check for overdue one-off requests is scheduled.
  let isWatching = Atomic(false)
  /// Signalled when the event queue has room again.
  let room = DispatchSemaphore(value: 0)
  /// True when this process owns the log and the disk has no free space for it.
  let lacksRoom = Atomic(false)
  /// True when the state is new enough for clients.
  let isServing = Atomic(false)

  init(_ owner: any OwnerConnection, makeSession: @escaping @Sendable () -> UInt64) {
    (self.owner, self.makeSession) = (owner, makeSession)
  }
}
