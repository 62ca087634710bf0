/// A check of a body's pace, repeated until the body is complete, so that fast first bytes do not allow hours for the
/// rest.
struct BodyRateCheck {
  /// The loop's second of the next check.
  private var nextCheckAt: Int32
  /// The number of bytes since the previous check.
  private var bytes = 0

  /// - Parameter beganAt: the loop's second in which the request's head was there.
  init(beganAt: Int32, _ limits: TransportLimits) { nextCheckAt = beganAt + 2 * Int32(limits.bodyWindowSeconds) }

  mutating func received(_ count: Int) { bytes += count }

  /// Returns false when too few bytes have arrived since the previous check.
  ///
  /// - Parameter heldBytes: the bytes of the body that have arrived so far.
  mutating func isFastEnough(at now: Int32, heldBytes: Int, _ limits: TransportLimits) -> Bool {
    guard now >= nextCheckAt else { return true }
    let perSecond = max(limits.bodyBytesPerSecondMin, heldBytes / max(1, limits.bodyDoublingSecondsMax))
    guard bytes >= perSecond * limits.bodyWindowSeconds else { return false }
    (nextCheckAt, bytes) = (now + Int32(limits.bodyWindowSeconds), 0)
    return true
  }
}
