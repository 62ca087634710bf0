import HearthBytes
import HearthTree

/// The unit that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 one, which an internet provider
/// assigns to a single customer.
public struct ClientNetwork: Sendable, Hashable {
  /// The text form: `192.0.2.1`, `2001:db8:0:1::/64`, or an invalid address unchanged.
  public let text: String
  /// The prefix; ``NetworkPrefix/unknown`` for an invalid address.
  package let prefix: NetworkPrefix

  /// The longest text that is parsed: an IPv6 address with a zone.
  private static let textBytesMax = 64

  /// Creates the network of a peer's address. An invalid address is a network of its own by its first bytes: an unknown
  /// client is counted too.
  public init(_ address: String) {
    let head = String(decoding: address.utf8.prefix(Self.textBytesMax), as: UTF8.self)
    // A zone (`%eth0`) names the interface, not the peer.
    let plain = head.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    prefix = IPAddress(plain).map { NetworkPrefix($0) } ?? .unknown
    text = prefix == .unknown ? head : prefix.text
  }

  /// A counted network, with the multiple of a client's limit that it may use.
  struct Counted: Sendable {
    var text: String
    var factor: Int
  }

  /// The client's network and those around it. An IPv6 customer has a /64, a /56 or a /48, so that these larger networks need
  /// limits, too: a multiple of one client's, and far less than the sum of the limits of all their parts.
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
