/// The limits on the memory that the server holds for clients, over all event loops.
package struct MemoryLimits: Sendable {
  /// The percentage of the machine's memory, or of the part that the process may use, for incomplete requests and
  /// messages, and for responses and events that clients have not yet read. The databases need the rest.
  var heldPercentMax = 25
  /// The percentage of the same memory for large bodies of callers without a valid credential. It is not 0, because
  /// some servers allow anonymous writes; such callers cannot use up the memory of others.
  var anonymousPercentMax = 3
  /// The minimum of the limit in bytes, on any machine: less would not hold one WebSocket message.
  var heldBytesMin = 64 << 20
  /// The bytes up to which a connection's memory is not counted, and the change at which a connection reports it again.
  /// It is about the cost of an idle connection, so that small messages take no lock.
  var stepBytes = 16 << 10
  /// The size in bytes above which the memory of a response is counted separately, until its last byte is sent.
  var uncountedTextBytesMax = 256 << 10
  /// The transfer rate, in bytes a second, below which all connections are treated as equally slow.
  var transferBytesPerSecondMin = 64 << 10
  /// The minimum period over which a transfer rate is measured, in seconds.
  var transferWindowSeconds = 8
  /// The decrease of the held bytes after which the allocator's free memory is returned to the operating system.
  var returnedBytesMin = 64 << 20
  /// The minimum seconds between two returns: each delays threads that allocate meanwhile.
  var returnDelaySeconds = 10

  static let standard = MemoryLimits()

  /// Returns the limit on the bytes held for all clients.
  ///
  /// - Parameter memoryBytes: the memory of the machine; 0 when it is not known.
  func heldBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin, memoryBytes / 100 * heldPercentMax) }

  func anonymousBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin / 8, memoryBytes / 100 * anonymousPercentMax) }
}
