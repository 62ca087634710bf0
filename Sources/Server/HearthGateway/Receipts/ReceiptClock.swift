import Glibc
import HearthSystem

/// A moment as receipts need it: the time that cancellations take is often less than a millisecond.
package struct ReceiptMoment: Sendable {
  var wallMilliseconds: Int64
  var monotonicMicroseconds: Int64

  /// What the machine's clocks say.
  package static func now() -> ReceiptMoment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return ReceiptMoment(
      wallMilliseconds: Clock.wallMilliseconds,
      monotonicMicroseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
