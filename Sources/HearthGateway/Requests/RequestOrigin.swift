import HearthTransport

/// Where a request or a socket comes from, as far as it can be believed.
package struct RequestOrigin: Sendable, Equatable {
  /// The client's IP address; empty when it is not known.
  package var address: String
  /// A program or a page of this machine asks, for itself: ``HTTPRequest/isFromLoopback``.
  package var isFromLoopback: Bool
  /// What logs call the request, or the one that opened the socket.
  package var requestID = ""
}

extension TrustedProxies {
  /// Who sent the request, and whether for themselves.
  package func origin(of request: HTTPRequest) -> RequestOrigin {
    RequestOrigin(
      address: address(of: request.peer, forwardedFor: request.headers["X-Forwarded-For"]),
      isFromLoopback: request.isFromLoopback, requestID: request.id)
  }
}

extension HTTPRequest {
  /// True when this machine asks, and for itself: the other end of the connection is here, asks for a name or an address
  /// of this machine, passes nothing on for somebody else, and is no browser that shows a page of another site.
  ///
  /// Every interface checks this before it grants what an emulator grants without a real credential.
  package var isFromLoopback: Bool {
    // Also the host: a name that its owner lets point to this machine makes a foreign page and this server one origin.
    guard peer.isLoopback, ShownPage.isLocal(host: hostName), !isForwarded else { return false }
    return ShownPage(self) != .foreign
  }

  private var isForwarded: Bool {
    headers.contains { name, _ in
      let name = name.lowercased()
      return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }
}
