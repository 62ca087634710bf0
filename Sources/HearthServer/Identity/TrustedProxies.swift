/// The proxies whose word about a client's address counts.
struct TrustedProxies: Sendable, Equatable {
  private let blocks: [AddressBlock]

  /// - Parameter texts: addresses and blocks in CIDR notation.
  /// - Throws: ``ServerError`` for one that is neither.
  init(_ texts: [String]) throws(ServerError) {
    var blocks: [AddressBlock] = []
    for text in texts {
      guard let block = AddressBlock(text) else {
        throw ServerError(.badOptions, "trusted proxy \"\(text)\" is neither an IP address nor a block like 10.0.0.0/8")
      }
      blocks.append(block)
    }
    self.blocks = blocks
  }

  func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// Who sent the request: the socket's other end; behind trusted proxies, the right-most hop that is not one of them.
  /// What stands further left was written by the client and counts for nothing.
  func origin(of request: HTTPRequest) -> RequestOrigin {
    RequestOrigin(address: address(of: request), isFromLoopback: request.isFromLoopback)
  }

  private func address(of request: HTTPRequest) -> String {
    guard let text = request.peer.address?.ipAddress else { return "" }
    guard var client = IPAddress(text) else { return text }
    guard contains(client) else { return client.description }
    let hops = request.headers["X-Forwarded-For"].joined(separator: ",").split(separator: ",")
    for hop in hops.reversed() {
      // Behind a hop that cannot be read nobody is known.
      guard let address = IPAddress(hop: hop) else { break }
      client = address
      guard contains(address) else { break }
    }
    return client.description
  }
}
