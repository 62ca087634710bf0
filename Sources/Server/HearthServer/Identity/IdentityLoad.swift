import HearthTree
import Synchronization

/// Counts identity requests under way and refuses what is too many: each holds its body, and those that wait for a
/// password hash or a plugin wait long. Clients share the places: ``ShareRule``.
final class IdentityLoad: Sendable {
  /// Requests under way: as many as wait for a plugin at most.
  static let requestsMax = 1_024

  private let max: Int
  private let places: Mutex<SharedBound>
  private let isTold = Atomic<Bool>(false)

  init(max: Int = requestsMax) {
    self.max = max
    places = Mutex(SharedBound(max: max))
  }

  /// Requests under way.
  var inFlightCount: Int { places.withLock { $0.used } }

  /// Takes a place for a client; nil when there is none.
  func begin(_ client: ShareClaimant) -> SharedBound.Claim? {
    places.withLock { places in
      var place = places.join(client)
      if places.admit(to: &place) { return place }
      places.leave(&place)
      return nil
    }
  }

  /// Gives a place back.
  func end(_ place: SharedBound.Claim) {
    let left = places.withLock { places in
      var place = place
      places.leave(&place)
      return places.used
    }
    if left <= max / 2, isTold.load(ordering: .relaxed) { isTold.store(false, ordering: .relaxed) }
  }

  /// True for the first refusal since it was half empty: an operator needs no line for each.
  func isNews() -> Bool { !isTold.exchange(true, ordering: .relaxed) }

  /// Waits until nothing is under way, or the time is over.
  func drain(timeoutSeconds: Int = 15) async {
    for _ in 0..<(timeoutSeconds * 50) where inFlightCount > 0 {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
  }
}
