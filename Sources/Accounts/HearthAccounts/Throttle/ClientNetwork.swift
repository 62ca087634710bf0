import HearthBytes
import HearthTree

/// What is counted as one client: an IPv4 address, or the first 64 bits of an IPv6 one, which a single customer of a
/// provider has to himself.
public struct ClientNetwork: Sendable, Hashable {
  /// `192.0.2.1`, `2001:db8:0:1::/64`, or another text as it came.
  public let text: String
  /// ``NetworkPrefix/unknown`` for what is no address.
  package let prefix: NetworkPrefix

  /// The longest text that is looked at: an IPv6 address with a zone.
  private static let textBytesMax = 64

  /// The network of a peer's address. What is not an address is a network of its own by its first bytes: an unknown
  /// client is counted too.
  public init(_ address: String) {
    let head = String(decoding: address.utf8.prefix(Self.textBytesMax), as: UTF8.self)
    // A zone (`%eth0`) is about the way, not about the peer.
    let plain = head.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    prefix = IPAddress(plain).map { NetworkPrefix($0) } ?? .unknown
    text = prefix == .unknown ? head : prefix.text
  }

  /// A network that counts what its clients do, and how many times a client's allowance it has.
  struct Counted: Sendable {
    var text: String
    var factor: Int
  }

  /// The client's network and those around it. A customer of IPv6 has a /64, a /56 or a /48, so that what holds for one
  /// client has to hold for these, at more than its own number and at far less than that of all their parts.
  var counted: [Counted] {
    guard prefix != .unknown else { return [Counted(text: text, factor: 1)] }
    return prefix.widening.map { network in
      let factor =
        switch network.length {
        case 56: 4
        case 24, 48: 16
        default: 1
        }
      return Counted(text: network.text, factor: factor)
    }
  }
}
