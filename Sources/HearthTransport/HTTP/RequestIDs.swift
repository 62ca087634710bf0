import Synchronization

/// Names for requests, unique among all starts of the server: what a log, an audit record and an answer have in common.
package final class RequestIDs: Sendable {
  private let start: String
  private let count = Atomic<UInt64>(0)

  /// Names with a beginning that no other start of the server has, as far as chance goes: 32 bits of it.
  package init() {
    let text = String(UInt64.random(in: 0...UInt64(UInt32.max)), radix: 16)
    start = String(repeating: "0", count: 8 - text.utf8.count) + text
  }

  /// The next name: `4f1c20aa-1f`, in hexadecimal digits. From any thread.
  package func next() -> String {
    start + "-" + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16)
  }
}
