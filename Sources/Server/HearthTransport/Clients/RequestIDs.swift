import HearthBytes
import NIOHTTP1
import Synchronization

/// Names for requests: what logs, audit records and answers have in common. A trusted proxy may have named a request
/// already; all others get names that are unique among all starts of the server.
package final class RequestIDs: Sendable {
  /// The header with the name, of requests of proxies and of every answer.
  package static let header = "X-Request-Id"
  /// Of a proxy's name, in bytes: as long as those that are in use, and short enough for every line of a log.
  static let bytesMax = 128

  private let start: String
  private let count = Atomic<UInt64>(0)
  private let proxies: TrustedProxies?

  /// Names with a beginning that no other start of the server has, as far as chance goes: 32 bits of it.
  ///
  /// - Parameter proxies: whose names count; nil for nobody's.
  package init(proxies: TrustedProxies? = nil) {
    let text = String(UInt64.random(in: 0...UInt64(UInt32.max)), radix: 16)
    start = String(repeating: "0", count: 8 - text.utf8.count) + text
    self.proxies = proxies
  }

  /// The next name: `4f1c20aa-1f`, in hexadecimal digits. From any thread.
  package func next() -> String {
    start + "-" + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 16)
  }

  /// The name of a request: what a trusted proxy calls it, if that is 1 to 128 visible characters of ASCII; or else the
  /// next one.
  func id(of headers: HTTPHeaders, from peer: Peer) -> String {
    guard let proxies, let name = headers.first(name: Self.header), headers[Self.header].count == 1,
      (1...Self.bytesMax).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let text = peer.address?.ipAddress, let address = IPAddress(text), proxies.contains(address)
    else { return next() }
    return name
  }
}
