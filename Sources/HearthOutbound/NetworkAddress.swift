/// An IP address, and what kind of place it is.
///
/// The special ranges are those of the IANA registries for IPv4 and IPv6 (RFC 6890 and its updates).
enum NetworkAddress: Equatable {
  case ipv4([UInt8])
  case ipv6([UInt8])

  /// - Parameter bytes: 4 or 16, in network order; nil for any other count.
  init?(_ bytes: [UInt8]) {
    switch bytes.count {
    case 4: self = .ipv4(bytes)
    case 16: self = .ipv6(bytes)
    default: return nil
    }
  }

  var isLoopback: Bool {
    switch self {
    case .ipv4(let bytes): bytes[0] == 127
    case .ipv6(let bytes): bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    }
  }

  /// Whether it belongs to the public internet: not loopback, private, link-local (where clouds keep their metadata),
  /// multicast, documentation or reserved, also not when written inside an IPv6 address.
  var isPublic: Bool {
    switch self {
    case .ipv4(let bytes): return !Self.specialIPv4.contains { $0.contains(bytes) }
    case .ipv6(let bytes):
      if let inner = Self.embeddedIPv4(bytes) { return NetworkAddress.ipv4(inner).isPublic }
      // Only 2000::/3 is handed out as global unicast.
      return bytes[0] & 0xE0 == 0x20 && !Self.specialIPv6.contains { $0.contains(bytes) }
    }
  }

  /// The IPv4 address that a translator would reach for it: of 64:ff9b::/96 only. Mapped addresses (::ffff:0:0/96) are
  /// outside 2000::/3 and thereby refused whatever is inside.
  private static func embeddedIPv4(_ bytes: [UInt8]) -> [UInt8]? {
    let translated: [UInt8] = [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    return Array(bytes.prefix(12)) == translated ? Array(bytes.suffix(4)) : nil
  }

  private static let specialIPv4: [Range] = [
    Range([0], 8), Range([10], 8), Range([100, 64], 10), Range([127], 8), Range([169, 254], 16), Range([172, 16], 12),
    Range([192, 0, 0], 24), Range([192, 0, 2], 24), Range([192, 88, 99], 24), Range([192, 168], 16),
    Range([198, 18], 15), Range([198, 51, 100], 24), Range([203, 0, 113], 24), Range([224], 3),
  ]

  private static let specialIPv6: [Range] = [
    // Protocol assignments with Teredo, documentation, 6to4 (which carries any IPv4 address), documentation again.
    Range([0x20, 0x01, 0x00], 23), Range([0x20, 0x01, 0x0D, 0xB8], 32), Range([0x20, 0x02], 16),
    Range([0x3F, 0xFF, 0x00], 20),
  ]

  /// A prefix and its length in bits.
  private struct Range {
    let prefix: [UInt8]
    let bits: Int

    init(_ prefix: [UInt8], _ bits: Int) {
      self.prefix = prefix
      self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
      for (i, byte) in prefix.enumerated() {
        let left = min(8, bits - 8 * i)
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> left)
        guard address[i] & mask == byte & mask else { return false }
      }
      return true
    }
  }
}
