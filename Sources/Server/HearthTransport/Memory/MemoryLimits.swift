/// The bounds of what clients make the server hold, over all event loops, each with its reason.
package struct MemoryLimits: Sendable {
  /// Of the machine's memory, or of the part of it that the process may use: bodies and messages that are not complete,
  /// and answers and events that wait to be taken. The data itself needs the rest.
  var heldPercentMax = 25
  /// Of the same: large bodies of callers whose credential is none. Some servers let anybody write, so there is
  /// some room, and what has it full is of their own kind.
  var anonymousPercentMax = 3
  /// Whatever the machine says: less would not hold one message of a socket.
  var heldBytesMin = 64 << 20
  /// Up to this size, and in steps of it, nobody counts: it is about what a connection costs anyway, and small messages
  /// pass without a look at what other loops hold.
  var stepBytes = 16 << 10
  /// A longer answer counts as a text of its own until its last byte is taken.
  var uncountedTextBytesMax = 256 << 10
  /// Bytes a second that count as no pace at all when it is decided who is slow.
  var paceBytesPerSecondMin = 64 << 10
  /// Over how long a time a pace is taken, at least.
  var paceSeconds = 8
  /// When what is held has fallen by so much, the allocator's free memory is given back.
  var givenBackBytesMin = 64 << 20
  /// Seconds between two times at which that is done: it holds up threads that allocate meanwhile.
  var givenBackSeconds = 10

  static let standard = MemoryLimits()

  /// - Parameter memoryBytes: of the machine; 0 when that is not known.
  func heldBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin, memoryBytes / 100 * heldPercentMax) }

  func anonymousBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin / 8, memoryBytes / 100 * anonymousPercentMax) }
}
