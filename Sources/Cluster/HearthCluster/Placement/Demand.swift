/// The recent requests for a database by the node of the client.
package struct Demand: Sendable {
  /// The interval in milliseconds at which earlier requests lose half their weight.
  private static let halfLifeMilliseconds: Int64 = 10_000
  /// The number of requests below which the demand is ignored, because the place of the database then matters little.
  private static let countMin: UInt64 = 1_000

  private var counts: [NodeID: UInt64] = [:]
  /// Consecutive requests of one node, not yet in ``counts``.
  private var latest: (node: NodeID, count: UInt64)?
  private var halvedAt = MonotonicInstant.distantPast

  /// Creates a count without requests.
  package init() {}

  /// Counts a request.
  package mutating func note(_ node: NodeID) {
    if latest?.node == node {
      latest?.count += 1
    } else {
      settle()
      latest = (node, 1)
    }
  }

  /// Halves the counts when that is due.
  package mutating func tick(at now: MonotonicInstant) {
    settle()
    guard now.isAtLeast(Self.halfLifeMilliseconds, after: halvedAt) else { return }
    halvedAt = now
    counts = counts.mapValues { $0 / 2 }.filter { $0.value > 0 }
  }

  /// The node with more than two thirds of the requests; nil when there is none, or when there are fewer than
  /// ``countMin`` requests.
  package var most: NodeID? {
    let total = counts.values.reduce(0, +)
    guard total >= Self.countMin, let most = counts.max(by: { $0.value < $1.value }) else { return nil }
    return most.value > total / 3 * 2 ? most.key : nil
  }

  private mutating func settle() {
    if let latest { counts[latest.node, default: 0] += latest.count }
    latest = nil
  }
}
