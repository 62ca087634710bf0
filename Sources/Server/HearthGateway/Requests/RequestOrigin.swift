import HearthBytes
import HearthTransport

/// Where a request or a socket comes from, as far as it can be believed.
package struct RequestOrigin: Sendable, Equatable {
  /// The client's IP address; empty when it is not known.
  package var address: String
  /// A program or a page of this machine asks, for itself: ``HTTPRequest/isFromLoopback(or:)``.
  package var isFromLoopback: Bool
  /// What logs call the request, or the one that opened the socket.
  package var requestID = ""
}

extension TrustedProxies {
  /// Who sent the request, and whether for themselves.
  ///
  /// - Parameter others: whose programs count as this machine's.
  package func origin(of request: HTTPRequest, or others: EmulatorClients = .none) -> RequestOrigin {
    RequestOrigin(
      address: address(of: request.peer, forwardedFor: request.headers["X-Forwarded-For"]),
      isFromLoopback: request.isFromLoopback(or: others), requestID: request.id)
  }
}

extension HTTPRequest {
  /// True when this machine asks, and for itself: the other end of the connection is here, asks for a name of this machine
  /// or for an address in numbers, forwards no other client's request, and is no browser that shows a page of another site.
  ///
  /// Every interface checks this before it grants what an emulator grants without a real credential.
  ///
  /// - Parameter others: whose programs count as this machine's.
  package func isFromLoopback(or others: EmulatorClients) -> Bool {
    guard !isForwarded, ShownPage(self) != .foreign else { return false }
    if peer.isLoopback { return isHostCertain }
    return others.contains(peer) && (isHostCertain || isHostPrivate)
  }

  /// The request's host is no name that its owner could let point to this machine, which would make a foreign page and
  /// this server one origin. Android's emulator reaches the machine that it runs on by the address 10.0.2.2. The
  /// unspecified address is none of them: browsers take pages of all sites there, and send no mark of the page with it.
  private var isHostCertain: Bool {
    ShownPage.isLocal(host: hostName) || IPAddress(hostName).map { !$0.isUnspecified } == true
  }

  /// A name that no public zone has: that of a container or of its host.
  private var isHostPrivate: Bool { !hostName.isEmpty && !hostName.contains(".") || hostName.hasSuffix(".internal") }

  private var isForwarded: Bool {
    headers.contains { name, _ in
      let name = name.lowercased()
      return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }
}
