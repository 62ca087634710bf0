/// The queue at one place: who waits for a turn there, and the turn that is open.
struct TurnQueue: Sendable {
  /// A compared write that is answered at its turn.
  struct Waiter: Sendable {
    /// Grows with everybody who waits, at whatever place.
    let sequence: UInt64
    let requester: TurnRequester
    /// Which contender the requester is; 0 for requests over HTTP.
    let contenderSerial: UInt64
    let connection: ConnectionID
    let request: Int32
    /// The write, to be decided at its turn; nil when it was late already, and is only told so.
    var command: Command?
    /// What ``command`` holds in memory.
    var sizeBytes: Int
  }

  /// Those who were answered last, and may ask again before the others.
  struct Turn: Sendable {
    var serial: UInt64 = 0
    var members: [TurnRequester]
    /// How many more may join: after silence, several are answered at once.
    var room: Int
    /// How long it is open once its answers are on their way.
    var windowMilliseconds: Int64
    /// nil while a member's write is decided beside the others.
    var deadlineMonotonicMilliseconds: Int64?
    /// The time when its answers were on their way; nil while they wait for the disk.
    var toldMonotonicMilliseconds: Int64?
    /// How often a member was late in it all the same.
    var lateCount = 0
  }

  var turn: Turn?
  /// Turns that nobody used; each that was used takes one off.
  var silenceCount = 0
  /// The window of those of whom nothing is known, from how soon others here asked again.
  var windowMilliseconds: Int64?

  /// Those before ``head`` are gone.
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

  /// Takes out the first write of a contender that is still to be decided and for which `isTaken` holds.
  mutating func takeFirst(of contenderSerial: UInt64, where isTaken: (Command) -> Bool) -> Waiter? {
    let index = waiters.indices[head...].first { index in
      guard let waiter = waiters[index], waiter.contenderSerial == contenderSerial else { return false }
      return waiter.command.map(isTaken) ?? false
    }
    return index.flatMap { waiters.remove(at: $0) }
  }

  /// Settles what a contender's writes that are still to be decided come to now.
  ///
  /// - Parameter isLate: Those that are need only be told so at their turn.
  /// - Returns: The others. They wait no more.
  mutating func settle(of contenderSerial: UInt64, isLate: (Command) -> Bool) -> (settled: [Waiter], fresh: [Waiter]) {
    var (settled, fresh): ([Waiter], [Waiter]) = ([], [])
    for index in waiters.indices[head...] {
      guard let waiter = waiters[index], waiter.contenderSerial == contenderSerial, let command = waiter.command else {
        continue
      }
      if isLate(command) {
        settled.append(waiter)
        waiters[index]?.command = nil
        waiters[index]?.sizeBytes = 0
      } else {
        fresh.append(waiter)
      }
    }
    if !fresh.isEmpty {
      let gone = Set(fresh.map(\.sequence))
      waiters.removeAll { $0.map { gone.contains($0.sequence) } ?? false }
    }
    return (settled, fresh)
  }
}
