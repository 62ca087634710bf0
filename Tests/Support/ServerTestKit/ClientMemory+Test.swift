import HearthSystem

@testable import HearthTransport

extension ClientMemory {
  /// Returns a memory limit for tests, in which every byte counts.
  package static func ofTest(
    heldBytesMax: Int = 1 << 40, stepBytes: Int = 1,
    clock: @escaping @Sendable () -> Int64 = { Clock.monotonicMilliseconds }
  ) -> ClientMemory {
    var limits = MemoryLimits()
    (limits.heldBytesMin, limits.stepBytes) = (heldBytesMax, stepBytes)
    return ClientMemory(memoryBytes: 0, limits: limits, clock: clock)
  }
}
