import HearthBytes

/// A client's network: an IPv4 address, or the first 64 bits of an IPv6 one, with the wider blocks around it.
///
/// One customer of an internet provider has a whole /64, /56 or /48 of IPv6, and a hosting customer often a /24 of
/// IPv4.
public struct NetworkPrefix: Sendable, Hashable {
  private enum Family: UInt8 { case none, v4, v6 }

  private let family: Family
  /// The number of significant leading bits; the other bits are 0.
  public let length: UInt8
  private let bits: UInt64

  /// The network of clients without an IP address, such as those of a Unix socket.
  public static let unknown = NetworkPrefix(.none, 0, 0)

  private init(_ family: Family, _ length: UInt8, _ bits: UInt64) {
    (self.family, self.length) = (family, length)
    let width: UInt8 = family == .v4 ? 32 : 64
    self.bits = length == 0 ? 0 : bits & (~0 << UInt64(width - length))
  }

  /// Creates the narrowest network of an address: an IPv4 address itself, or a /64 of IPv6. An IPv4-mapped IPv6 address
  /// counts as the IPv4 address.
  ///
  /// - Parameter bytes: 4 or 16 bytes in network order; any other number gives ``unknown``.
  public init(addressBytes bytes: some Collection<UInt8>) {
    self = IPAddress(bytes: Array(bytes.prefix(17))).map { NetworkPrefix($0) } ?? .unknown
  }

  /// Creates the narrowest network of an address.
  public init(_ address: IPAddress) {
    if address.bytes.count == 4 {
      self.init(.v4, 32, Self.number(address.bytes[...]))
    } else {
      self.init(.v6, 64, Self.number(address.bytes[..<8]))
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// The network and the wider ones around it that are counted, the narrowest first: /64, /56 and /48 of IPv6, the
  /// address and its /24 of IPv4.
  public var widening: [NetworkPrefix] {
    switch family {
    case .none: [self]
    case .v4: [self, NetworkPrefix(.v4, 24, bits)]
    case .v6: [self, NetworkPrefix(.v6, 56, bits), NetworkPrefix(.v6, 48, bits)]
    }
  }

  /// The widest network that is counted: the /24, or the /48.
  public var widest: NetworkPrefix {
    switch family {
    case .none: self
    case .v4: NetworkPrefix(.v4, 24, bits)
    case .v6: NetworkPrefix(.v6, 48, bits)
    }
  }

  /// `192.0.2.1`, `192.0.2.0/24`, `2001:db8:0:1::/64`; empty for ``unknown``.
  public var text: String {
    switch family {
    case .none: return ""
    case .v4:
      let address = stride(from: 24, through: 0, by: -8).map { "\(bits >> UInt64($0) & 0xFF)" }.joined(separator: ".")
      return length == 32 ? address : "\(address)/\(length)"
    case .v6:
      let groups = stride(from: 48, through: 0, by: -16).map { String(bits >> UInt64($0) & 0xFFFF, radix: 16) }
      return groups.joined(separator: ":") + "::/\(length)"
    }
  }
}
