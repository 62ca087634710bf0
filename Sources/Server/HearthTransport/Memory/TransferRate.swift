/// The rate at which a client sends or takes bytes.
struct TransferRate: Sendable {
  /// Two times, each with the bytes transferred until then. The earlier one is at least the measuring period ago, or
  /// the beginning.
  private var earlier: (bytes: Int, milliseconds: Int64)
  private var later: (bytes: Int, milliseconds: Int64)

  init(_ movedBytes: Int, milliseconds: Int64) {
    earlier = (movedBytes, milliseconds)
    later = earlier
  }

  mutating func note(_ movedBytes: Int, milliseconds: Int64, _ limits: MemoryLimits) {
    guard milliseconds - later.milliseconds >= Int64(limits.transferWindowSeconds) * 1000 else { return }
    earlier = later
    later = (movedBytes, milliseconds)
  }

  func bytesPerSecond(_ movedBytes: Int, milliseconds: Int64) -> Double {
    Double(max(0, movedBytes - earlier.bytes)) * 1000 / Double(max(1000, milliseconds - earlier.milliseconds))
  }
}
