#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (::ffff:0:0/96) becomes the IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  public let bytes: [UInt8]

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// Creates an address from 4 or 16 bytes in network order; nil for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
  }

  /// Reads the notation that `inet_pton` accepts: four decimal numbers, or an IPv6 address without a zone.
  public init?(_ text: String) {
    guard text.utf8.count <= 64, !text.utf8.contains(0) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &buffer) == 1 {
      self.init(bytes: Array(buffer.prefix(4)))
    } else if inet_pton(AF_INET6, text, &buffer) == 1 {
      self.init(bytes: buffer)
    } else {
      return nil
    }
  }

  /// Reads an element of `X-Forwarded-For`, where some proxies add a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  public init?(hop: some StringProtocol) {
    var text = Substring(hop).drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    if text.first == "[" {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 1 {
      text = text.prefix { $0 != ":" }
    }
    self.init(String(text))
  }

  /// True for an address of this machine that no network can reach: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// True for 0.0.0.0 and ::, the unspecified address. A client that connects to it reaches its own machine.
  public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The notation of `inet_ntop`, in lower case.
  public var description: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return buffer.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

// MARK: - Hosts

extension IPAddress {
  /// True when a host is this machine for every resolver: `localhost`, or a loopback address, an IPv6 one with or
  /// without brackets. False for names below `localhost`, which a resolver may look up elsewhere.
  public static func isLoopback(host: String) -> Bool {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
    return host == "localhost"
      || IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host)?.isLoopback == true
  }
}

// MARK: - Public addresses

extension IPAddress {
  /// True when the address belongs to the public internet: not loopback, private, link-local (where clouds keep their
  /// metadata), multicast, documentation or reserved, and not a translation of such an address (64:ff9b::/96). The
  /// special ranges are those of the IANA registries (RFC 6890 and its updates).
  public var isPublic: Bool {
    if bytes.count == 4 { return !Self.specialIPv4.contains { $0.contains(self) } }
    if bytes.starts(with: Self.translatedPrefix) { return IPAddress(bytes: Array(bytes.suffix(4)))?.isPublic == true }
    // Only 2000::/3 is allocated as global unicast.
    return bytes[0] & 0xE0 == 0x20 && !Self.specialIPv6.contains { $0.contains(self) }
  }

  private static let translatedPrefix: [UInt8] = [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

  private static let specialIPv4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/3",
  ].compactMap { IPNetwork($0) }

  private static let specialIPv6 = [
    // Protocol assignments including Teredo, documentation, 6to4 (which can contain any IPv4 address), and a second
    // range for documentation.
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ].compactMap { IPNetwork($0) }
}
