import Glibc

/// An IPv4 or IPv6 address. An IPv4 address inside an IPv6 one is the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  package let bytes: [UInt8]

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  private init(bytes: [UInt8]) {
    self.bytes = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
  }

  /// Reads the notation of the C library, which is strict: four decimal numbers, or an IPv6 address without a zone.
  package init?(_ text: String) {
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
  package init?(hop: some StringProtocol) {
    var text = Substring(hop).drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    if text.first == "[" {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 1 {
      text = text.prefix { $0 != ":" }
    }
    self.init(String(text))
  }

  /// An address of this machine that no network can reach: 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// 0.0.0.0 or ::, the unspecified address. A client that connects to it reaches its own machine.
  package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  package var description: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return buffer.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
