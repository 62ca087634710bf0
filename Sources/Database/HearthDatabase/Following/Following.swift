import Dispatch
import Synchronization

/// What a ``Database`` has beside the rest when it follows a log that is written elsewhere.
final class Following: Sendable {
  /// The way to the log's owner.
  let line: any OwnerLine
  /// What was asked there. Used on the deciding queue.
  let forwarding = Mutex(ForwardingQueue())
  /// Draws the numbers of sessions.
  let makeSession: @Sendable () -> UInt64
  /// Commands that wait to be forwarded are so many that senders are to send no more.
  let isCrowded = Atomic(false)
  /// Somebody looks again soon whether requests have waited too long.
  let isWatching = Atomic(false)
  /// Signalled when what happened has room again.
  let room = DispatchSemaphore(value: 0)
  /// This process owns the log, and there is no room for more of it.
  let lacksRoom = Atomic(false)
  /// What is known is new enough for clients.
  let isServing = Atomic(false)

  init(_ line: any OwnerLine, makeSession: @escaping @Sendable () -> UInt64) {
    (self.line, self.makeSession) = (line, makeSession)
  }
}
