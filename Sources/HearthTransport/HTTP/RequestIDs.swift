import Synchronization

/// Names for requests, unique among all starts of the server: what a log, an audit record and an answer have in common.
package final class RequestIDs: Sendable {
  private let start: String
  private let count = Atomic<UInt64>(0)

  package init() {
    let text = String(UInt64.random(in: 0...UInt64(UInt32.max)), radix: 16)
    start = String(repeating: "0", count: 8 - text.utf8.count) + text
  }

  package func next() -> String {
    start + "-" + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16)
  }
}
