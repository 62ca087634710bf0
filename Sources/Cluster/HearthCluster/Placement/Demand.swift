/// From which nodes the requests of a database come, of late.
package struct Demand: Sendable {
  /// After each so many milliseconds what came before counts half.
  private static let halfLifeMilliseconds: Int64 = 10_000
  /// Fewer requests say nothing: a database that has so few costs little wherever it is.
  private static let countMin: UInt64 = 1_000

  private var counts: [NodeID: UInt64] = [:]
  /// Requests of one node that came one after another, not yet in ``counts``.
  private var latest: (node: NodeID, count: UInt64)?
  private var halvedAt = MonotonicInstant.distantPast

  /// No requests.
  package init() {}

  /// A request came.
  package mutating func note(_ node: NodeID) {
    if latest?.node == node {
      latest?.count += 1
    } else {
      settle()
      latest = (node, 1)
    }
  }

  /// Time has passed.
  package mutating func tick(at now: MonotonicInstant) {
    settle()
    guard now.isAtLeast(Self.halfLifeMilliseconds, after: halvedAt) else { return }
    halvedAt = now
    counts = counts.mapValues { $0 / 2 }.filter { $0.value > 0 }
  }

  /// The node from which more than two of three requests come; nil when there is none, or they are few.
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
