import HearthBytes

/// The proxies whose headers about a client's address are trusted.
package struct TrustedProxies: Sendable, Equatable {
  /// A text that names no proxy.
  package struct InvalidAddress: Error, CustomStringConvertible {
    /// The text as it was given.
    package var text: String

    package var description: String { "trusted proxy \"\(text)\" is neither an IP address nor a block like 10.0.0.0/8" }
  }

  private let blocks: [IPNetwork]

  /// The empty list: no header about a client's address is trusted.
  package static let none = TrustedProxies(blocks: [])

  private init(blocks: [IPNetwork]) { self.blocks = blocks }

  /// Reads a list of proxies.
  ///
  /// - Parameter texts: addresses and blocks in CIDR notation.
  /// - Throws: ``InvalidAddress`` for a text that is neither.
  package init(_ texts: [String]) throws(InvalidAddress) {
    var blocks: [IPNetwork] = []
    for text in texts {
      guard let block = IPNetwork(text) else { throw InvalidAddress(text: text) }
      blocks.append(block)
    }
    self.blocks = blocks
  }

  /// Returns true when the address is one of the proxies.
  package func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// Returns the IP address of a request's client: the connection's peer; behind trusted proxies, the right-most hop
  /// that is not one of them. Hops further left were written by the client and are ignored. For a forwarded request,
  /// the address that the forwarding node found.
  ///
  /// - Parameter forwardedFor: the request's `X-Forwarded-For` headers.
  /// - Returns: the address; empty when it is not known.
  package func address(of peer: Peer, forwardedFor: [String]) -> String {
    if let client = peer.clientAtOtherNode { return client }
    guard let text = peer.address?.ipAddress else { return "" }
    guard var client = IPAddress(text) else { return text }
    guard contains(client) else { return client.description }
    let hops = forwardedFor.joined(separator: ",").split(separator: ",")
    for hop in hops.reversed() {
      // Hops to the left of an unreadable one cannot be trusted.
      guard let address = IPAddress(hop: hop) else { break }
      client = address
      guard contains(address) else { break }
    }
    return client.description
  }
}
