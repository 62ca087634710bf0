import HearthTree
import PagesTestKit
import RandomTestKit

/// The part of a tree's data that is in memory between the steps of a test.
enum Residency: CaseIterable, Sendable {
  /// All of it.
  case resident
  /// None of it.
  case cold

  /// The runs of a test with these seeds: resident with each, and cold with each, or with the last one of a sample.
  static func runs(_ seeds: UInt64) -> [(seed: UInt64, residency: Residency)] {
    let coldCount = UInt64(Torture.count(sample: 1, full: Int(seeds)))
    return (1...seeds).map { ($0, .resident) } + (seeds - coldCount + 1...seeds).map { ($0, .cold) }
  }
}

/// A tree between the steps of a test.
struct PagedTree {
  private var store: MemoryStore?

  init(_ residency: Residency) { store = residency == .cold ? MemoryStore() : nil }

  /// Returns the node as the next step sees it.
  mutating func step(_ node: Node) throws -> Node { try store?.cold(node) ?? node }
}
