/// The limits on the memory that the server holds for clients, over all event loops, each with its reason.
package struct MemoryLimits: Sendable {
  /// The percentage of the machine's memory, or of the part that the process may use, for unfinished bodies and
  /// messages, and for responses and events that wait to be read. The data itself needs the rest.
  var heldPercentMax = 25
  /// The percentage of the same for large bodies of callers without a valid credential. Some servers allow anonymous
  /// writes, so there is some room, which only such callers can fill.
  var anonymousPercentMax = 3
  /// The minimum limit on any machine: less would not hold one message of a socket.
  var heldBytesMin = 64 << 20
  /// The size, in bytes, up to which a connection is not counted, and the step of its reports: about the cost of a
  /// connection anyway, so that small messages take no lock.
  var stepBytes = 16 << 10
  /// The size in bytes from which a response counts as a text of its own until its last byte is taken.
  var uncountedTextBytesMax = 256 << 10
  /// The pace, in bytes a second, below which all connections count as equally slow.
  var transferBytesPerSecondMin = 64 << 10
  /// The minimum period over which a pace is measured, in seconds.
  var transferWindowSeconds = 8
  /// The decrease in bytes after which the allocator's free memory is returned to the system.
  var returnedBytesMin = 64 << 20
  /// The minimum seconds between two returns: each delays threads that allocate meanwhile.
  var returnDelaySeconds = 10

  static let standard = MemoryLimits()

  /// Returns the limit for a machine.
  ///
  /// - Parameter memoryBytes: of the machine; 0 when that is not known.
  func heldBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin, memoryBytes / 100 * heldPercentMax) }

  func anonymousBytesMax(memoryBytes: Int) -> Int { max(heldBytesMin / 8, memoryBytes / 100 * anonymousPercentMax) }
}
