import NIOCore

/// The bounds of what databases and their clients take of the event loops, each with its reason.
struct DeliveryLimits: Sendable {
  /// What may wait of one database for one event loop, in recipients of effects. A loop that is slower than the database
  /// then holds the database, whose clients are read no further; without this it would be memory that grows. The sum
  /// over all loops and databases is at most some hundred bytes for each.
  var waitingRecipientsMax = 262_144
  /// What a loop performs of one database before others, and its sockets, have their turn: some milliseconds' work.
  var turnRecipientsMax = 16_384

  /// Bytes of events and answers that a loop tells of one database before others, and its sockets, have their turn: some
  /// milliseconds' work, a recipient's bytes each time that they are sent. An event with many recipients is told in parts.
  var turnBytesMax = 4 << 20
  /// The same that may wait of one database for one event loop, like ``waitingRecipientsMax``: what comes behind them waits
  /// for about a twentieth of a second.
  var waitingBytesMax = 64 << 20

  /// A loop that has told so much that it took at least this long is busy: what comes while it does, it tells together.
  var busyMin = TimeAmount.milliseconds(1)
  /// For how long it then waits for what comes, at most: an eighth of the time that it took, and no more than this. A
  /// second pass over a thousand sockets for one more event costs as much as the first; who is told a little later is told
  /// more with one write.
  var restMax = TimeAmount.milliseconds(1)

  /// For how long it waits at least when more is there already. SwiftNIO runs whatever is due before it looks at sockets:
  /// without a pause a loop with much to tell would read nothing until all of it is told.
  var turnPause = TimeAmount.microseconds(50)

  /// When a loop tells more that was busy from `start` to `end`.
  ///
  /// - Parameter hasMore: Whether more is there already.
  func rest(after start: NIODeadline, _ end: NIODeadline, hasMore: Bool) -> NIODeadline {
    let busy = end - start
    let rest = busy < busyMin ? .zero : min(restMax, .nanoseconds(busy.nanoseconds / 8))
    return end + (hasMore ? max(rest, turnPause) : rest)
  }

  static let standard = DeliveryLimits()
}
