#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is counted as one client: an IPv4 address, or the first 64 bits of an IPv6 one, which a single customer of a
/// provider has to himself.
public struct ClientNetwork: Sendable, Hashable {
  /// `192.0.2.1`, `2001:db8:0:1::/64`, or another text as it came.
  public let text: String

  /// The longest text that is looked at: an IPv6 address with a zone.
  private static let textBytesMax = 64

  /// The network of a peer's address. What is not an address is a network of its own by its first bytes: an unknown
  /// client is counted too.
  public init(_ address: String) {
    let head = String(decoding: address.utf8.prefix(Self.textBytesMax), as: UTF8.self)
    // A zone (`%eth0`) is about the way, not about the peer.
    let plain = head.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, plain, &v4) == 1 {
      text = Self.dotted(withUnsafeBytes(of: v4) { Array($0) })
    } else if inet_pton(AF_INET6, plain, &v6) == 1 {
      let bytes = withUnsafeBytes(of: v6) { Array($0) }
      // An IPv4 peer on a socket that serves both.
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
      text = isMapped ? Self.dotted(Array(bytes[12...])) : Self.prefix(bytes)
    } else {
      text = head
    }
  }

  private static func dotted(_ bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: ".") }

  private static func prefix(_ bytes: [UInt8]) -> String {
    let groups = stride(from: 0, to: 8, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
    return groups.joined(separator: ":") + "::/64"
  }
}
