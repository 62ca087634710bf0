import HearthBytes

/// The proxies whose word about a client's address counts.
package struct TrustedProxies: Sendable, Equatable {
  /// A text that names no proxy.
  package struct NoAddress: Error, CustomStringConvertible {
    /// What was said instead of an address, as it was said.
    package var text: String

    package var description: String { "trusted proxy \"\(text)\" is neither an IP address nor a block like 10.0.0.0/8" }
  }

  private let blocks: [IPNetwork]

  /// No proxies: headers say nothing about a client's address.
  package static let none = TrustedProxies(blocks: [])

  private init(blocks: [IPNetwork]) { self.blocks = blocks }

  /// - Parameter texts: addresses and blocks in CIDR notation.
  /// - Throws: ``NoAddress`` for one that is neither.
  package init(_ texts: [String]) throws(NoAddress) {
    var blocks: [IPNetwork] = []
    for text in texts {
      guard let block = IPNetwork(text) else { throw NoAddress(text: text) }
      blocks.append(block)
    }
    self.blocks = blocks
  }

  /// Returns true when the address is one of the proxies.
  package func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// The IP address of who sent a request: the connection's other end; behind trusted proxies, the right-most hop that is
  /// not one of them. What stands further left was written by the client and counts for nothing. Of a request that another
  /// node hands over, what that node found.
  ///
  /// - Parameter forwardedFor: the request's `X-Forwarded-For` headers.
  /// - Returns: empty when it is not known.
  package func address(of peer: Peer, forwardedFor: [String]) -> String {
    if let client = peer.clientAtOtherNode { return client }
    guard let text = peer.address?.ipAddress else { return "" }
    guard var client = IPAddress(text) else { return text }
    guard contains(client) else { return client.description }
    let hops = forwardedFor.joined(separator: ",").split(separator: ",")
    for hop in hops.reversed() {
      // Behind a hop that cannot be read nobody is known.
      guard let address = IPAddress(hop: hop) else { break }
      client = address
      guard contains(address) else { break }
    }
    return client.description
  }
}
