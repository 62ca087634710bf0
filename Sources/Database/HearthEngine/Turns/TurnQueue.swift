/// The queue at one location: the waiting requests, and the open turn.
struct TurnQueue: Sendable {
  /// A compared write that is answered at its turn.
  struct Waiter: Sendable {
    /// The sequence number, which grows with every waiting request at any location.
    let sequence: UInt64
    let requester: TurnRequester
    /// The serial number of the contender; 0 for requests over HTTP.
    let contenderSerial: UInt64
    let connection: ConnectionID
    let request: Int32
    /// The write, to be decided at its turn; nil when it was stale already, and only needs its answer.
    var command: Command?
    /// The memory of ``command`` in bytes.
    var sizeBytes: Int
  }

  /// An open turn: the requesters that were answered last, and may retry before the others.
  struct Turn: Sendable {
    var serial: UInt64 = 0
    var members: [TurnRequester]
    /// The number of members that can still join; after expired turns, several requesters share a turn.
    var room: Int
    /// The length of the turn in milliseconds, from the sending of its answers.
    var windowMilliseconds: Int64
    /// The deadline; nil while a member's write is decided in the background.
    var deadlineMonotonicMilliseconds: Int64?
    /// The time when its answers were sent; nil while they wait for the disk.
    var deliveredMonotonicMilliseconds: Int64?
    /// The number of stale writes of its members.
    var staleCount = 0
  }

  var turn: Turn?
  /// The number of expired turns at the location; each used turn decreases it.
  var expiredTurnCount = 0
  /// The length of turns for requesters of unknown speed, derived from other requesters at this location; nil while
  /// that is unknown.
  var windowMilliseconds: Int64?

  /// The waiting requests; those before ``head`` were removed.
  private var waiters: [Waiter?] = []
  private var head = 0

  var first: Waiter? { head < waiters.count ? waiters[head] : nil }
  var count: Int { waiters.count - head }
  var isSpent: Bool { turn == nil && count == 0 }
  var all: [Waiter] { waiters[head...].compactMap { $0 } }

  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  mutating func removeFirst() {
    waiters[head] = nil
    head += 1
    guard head * 2 >= waiters.count else { return }
    waiters.removeFirst(head)
    head = 0
  }

  /// Returns a contender's undecided writes.
  func undecided(of contenderSerial: UInt64) -> [(waiter: Waiter, command: Command)] {
    waiters[head...].compactMap { waiter in
      guard let waiter, waiter.contenderSerial == contenderSerial else { return nil }
      return waiter.command.map { (waiter, $0) }
    }
  }

  /// Drops the command of a stale write, which only needs its answer at its turn.
  ///
  /// - Returns: The waiter as it was, or nil when it no longer waits.
  mutating func settle(_ sequence: UInt64) -> Waiter? {
    guard let index = index(of: sequence), let waiter = waiters[index] else { return nil }
    waiters[index]?.command = nil
    waiters[index]?.sizeBytes = 0
    return waiter
  }

  /// Removes a waiting request, or returns nil when it no longer waits.
  mutating func take(_ sequence: UInt64) -> Waiter? { index(of: sequence).flatMap { waiters.remove(at: $0) } }

  private func index(of sequence: UInt64) -> Int? {
    waiters.indices[head...].first { waiters[$0]?.sequence == sequence }
  }
}
