import NIOCore

/// The limits on databases' and their clients' use of the event loops, each with its reason.
struct DeliveryLimits: Sendable {
  /// The maximum queue of one database for one event loop, in recipients of effects. A loop that is slower than the
  /// database then blocks the database, whose clients are not read meanwhile; without this the queue would grow in
  /// memory. The sum over all loops and databases is at most some hundred bytes for each.
  var waitingRecipientsMax = 262_144
  /// The maximum recipients of one database in a turn, after which others, and the loop's sockets, have theirs: some
  /// milliseconds' work.
  var turnRecipientsMax = 16_384

  /// The maximum bytes of events and responses of one database in a turn, after which others, and the loop's sockets,
  /// have theirs: some milliseconds' work; bytes count once for each recipient. An event with many recipients is
  /// delivered in parts.
  var turnBytesMax = 4 << 20
  /// The maximum queue of one database for one event loop in bytes, like ``waitingRecipientsMax``: effects behind them
  /// wait for about a twentieth of a second.
  var waitingBytesMax = 64 << 20

  /// The minimum number of recipients of an effect that waits in the bulk lane of ``LoopInbox``: about a tenth of a
  /// millisecond's work.
  var bulkRecipientsMin = 64
  /// The minimum bytes, counted for each recipient, of an effect that waits in the bulk lane.
  var bulkBytesMin = 256 << 10

  /// The duration of a delivery from which a loop counts as busy: effects that arrive during it are delivered together.
  var busyMin = TimeAmount.milliseconds(1)
  /// The maximum pause before the next delivery of a busy loop: an eighth of the last duration, and no more than this.
  /// A second pass over a thousand sockets for one more event takes as long as the first; a slightly later delivery
  /// sends more with one write.
  var pauseMax = TimeAmount.milliseconds(1)

  /// The minimum pause when more effects are queued already. SwiftNIO runs due tasks before it polls sockets: without a
  /// pause a loop with long queues would read no input until they are empty.
  var turnPause = TimeAmount.microseconds(50)

  /// The maximum number of jobs of each duration class that wait for a thread of ``LargeValuePool``, at some hundred
  /// bytes each: one for each connection of a database.
  static let poolWaitingMax = 262_144

  /// Returns the time of the next delivery of a loop that was busy from `start` to `end`.
  ///
  /// - Parameter hasMore: true when more effects are queued already.
  func pauseEnd(after start: NIODeadline, _ end: NIODeadline, hasMore: Bool) -> NIODeadline {
    let busy = end - start
    let rest = busy < busyMin ? .zero : min(pauseMax, .nanoseconds(busy.nanoseconds / 8))
    return end + (hasMore ? max(rest, turnPause) : rest)
  }

  static let standard = DeliveryLimits()
}
