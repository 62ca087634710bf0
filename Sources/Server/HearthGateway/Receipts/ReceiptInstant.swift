import Glibc
import HearthSystem

/// A time with the precision of receipts: cancellations often take less than a millisecond.
package struct ReceiptInstant: Sendable {
  var wallMilliseconds: Int64
  var monotonicMicroseconds: Int64

  /// Reads the machine's clocks.
  package static func now() -> ReceiptInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return ReceiptInstant(
      wallMilliseconds: Clock.wallMilliseconds,
      monotonicMicroseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
