import HearthTree
import Synchronization

/// A limiter of concurrent identity requests: each holds its body, and those that wait for a password hash or a plugin
/// take long. Clients share the slots: ``ShareRule``.
final class IdentityRequestLimiter: Sendable {
  /// The maximum number of concurrent requests: the same as may wait for a plugin.
  static let requestsMax = 1_024

  private let max: Int
  private let slots: Mutex<FairShareLimit>
  private let isReported = Atomic<Bool>(false)

  init(max: Int = requestsMax) {
    self.max = max
    slots = Mutex(FairShareLimit(max: max))
  }

  /// The number of requests under way.
  var inFlightCount: Int { slots.withLock { $0.used } }

  /// Takes a slot for a client; nil when there is none.
  func begin(_ client: ShareClaimant) -> FairShareLimit.Claim? {
    slots.withLock { slots in
      var slot = slots.join(client)
      if slots.admit(to: &slot) { return slot }
      slots.leave(&slot)
      return nil
    }
  }

  /// Frees a slot.
  func end(_ slot: FairShareLimit.Claim) {
    let left = slots.withLock { slots in
      var slot = slot
      slots.leave(&slot)
      return slots.used
    }
    if left <= max / 2, isReported.load(ordering: .relaxed) { isReported.store(false, ordering: .relaxed) }
  }

  /// Returns true for the first refusal since at most half of the slots were used: the log needs no line for each.
  func isFirstRefusal() -> Bool { !isReported.exchange(true, ordering: .relaxed) }

  /// Waits until no request is under way, or for the timeout.
  func drain(timeoutSeconds: Int = 15) async {
    for _ in 0..<(timeoutSeconds * 50) where inFlightCount > 0 {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
  }
}
