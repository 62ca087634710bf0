/// The pace of a body, which is measured again and again until it is complete, so that what came fast in the
/// beginning does not buy hours for the rest.
struct BodyPace {
  /// The loop's second at which is looked next.
  private var lookAt: Int32
  /// Bytes since the last time.
  private var bytes = 0

  /// - Parameter beganAt: the loop's second in which the request's head was there.
  init(beganAt: Int32, _ limits: TransportLimits) { lookAt = beganAt + 2 * Int32(limits.bodyWindowSeconds) }

  mutating func brought(_ count: Int) { bytes += count }

  /// False when too little has come since the last look.
  ///
  /// - Parameter heldBytes: what has come of the body until now.
  mutating func isKept(at now: Int32, heldBytes: Int, _ limits: TransportLimits) -> Bool {
    guard now >= lookAt else { return true }
    let perSecond = max(limits.bodyBytesPerSecondMin, heldBytes / max(1, limits.bodyDoublingSecondsMax))
    guard bytes >= perSecond * limits.bodyWindowSeconds else { return false }
    (lookAt, bytes) = (now + Int32(limits.bodyWindowSeconds), 0)
    return true
  }
}
