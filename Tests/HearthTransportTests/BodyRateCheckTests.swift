import Testing

@testable import HearthTransport

/// Tests of the slowest accepted rate of a body, with a simulated clock.
@Suite struct BodyRateCheckTests {
  /// Sends a body second by second.
  ///
  /// - Parameter bytesPerSecond: Returns the bytes for the next second, given those sent and the seconds passed.
  /// - Returns: The time when it was complete, or refused.
  private func bring(_ size: Int, _ bytesPerSecond: (Int, Int32) -> Int) -> (seconds: Int32, isComplete: Bool) {
    let limits = TransportLimits.standard
    var (pace, held, now) = (BodyRateCheck(beganAt: 0, limits), 0, Int32(0))
    while held < size {
      now += 1
      let count = min(bytesPerSecond(held, now), size - held)
      pace.received(count)
      held += count
      guard held == size || pace.isFastEnough(at: now, heldBytes: held, limits) else { return (now, false) }
    }
    return (now, true)
  }

  @Test("the largest body takes no more than an hour, however slow its sender is")
  func slowest() {
    // Exactly the required rate, from a client that knows the rule.
    let limits = TransportLimits.standard
    let end = bring(240_000_000) { held, _ in
      max(limits.bodyBytesPerSecondMin, (held + held / 8) / limits.bodyDoublingSecondsMax) + 1
    }
    #expect(end.isComplete && end.seconds < 3600, "\(end)")
    #expect(!bring(240_000_000) { _, _ in 4096 }.isComplete)
    #expect(bring(240_000_000) { _, _ in 4096 }.seconds < 1800)
  }

  @Test("a fast beginning does not extend the time for a slow rest")
  func fastThenDripping() {
    let end = bring(240_000_000) { _, second in second <= 20 ? 10_000_000 : 1 }
    #expect(!end.isComplete && end.seconds <= 90)
    let early = bring(240_000_000) { _, second in second <= 2 ? 36_000_000 : 1 }
    #expect(!early.isComplete && early.seconds <= 90)
  }

  @Test("slow networks have time for bodies of apps")
  func honest() {
    #expect(bring(100_000) { _, _ in 2_000 }.isComplete, "within the first minute nobody is asked")
    #expect(bring(1_000_000) { _, _ in 8_000 }.isComplete)
    #expect(bring(10_000_000) { _, _ in 32_000 }.isComplete)
    #expect(bring(240_000_000) { _, _ in 1_000_000 }.isComplete)
  }

  @Test("a body that arrives a few bytes at a time is refused after a minute")
  func trickle() {
    let end = bring(1_000_000) { _, _ in 1 }
    #expect(!end.isComplete && end.seconds == 60)
  }
}
