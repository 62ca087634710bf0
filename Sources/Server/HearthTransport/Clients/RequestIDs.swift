import HearthBytes
import NIOHTTP1
import Synchronization

/// A generator of request ids, which logs, audit records and responses share. The id of a trusted proxy is kept; all
/// other ids are unique among all starts of the server.
package final class RequestIDs: Sendable {
  /// The header with the id, in requests of proxies and in every response.
  package static let header = "X-Request-Id"
  /// The maximum size of a proxy's id, in bytes: enough for the formats in use, and short enough for a log line.
  static let bytesMax = 128

  private let start: String
  private let count = Atomic<UInt64>(0)
  private let proxies: TrustedProxies?

  /// Creates ids with a random prefix of 32 bits, which differs from that of other starts with high probability.
  ///
  /// - Parameter proxies: the proxies whose ids are kept; nil for none.
  package init(proxies: TrustedProxies? = nil) {
    let text = String(UInt64.random(in: 0...UInt64(UInt32.max)), radix: 16)
    start = String(repeating: "0", count: 8 - text.utf8.count) + text
    self.proxies = proxies
  }

  /// Returns the next id: `4f1c20aa-1f`, in hexadecimal digits. Thread-safe.
  package func next() -> String {
    start + "-" + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16)
  }

  /// Returns a request's id: that of a trusted proxy, if it is 1 to 128 visible characters of ASCII; otherwise the next
  /// one.
  func id(of headers: HTTPHeaders, from peer: Peer) -> String {
    guard let proxies, let name = headers.first(name: Self.header), headers[Self.header].count == 1,
      (1...Self.bytesMax).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let text = peer.address?.ipAddress, let address = IPAddress(text), proxies.contains(address)
    else { return next() }
    return name
  }
}
