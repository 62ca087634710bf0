import HearthBytes
import HearthTransport

/// The origin of a request or a socket, as far as it can be trusted.
package struct RequestOrigin: Sendable, Equatable {
  /// The client's IP address; empty when it is not known.
  package var address: String
  /// True when a program or a page of this machine sends the request for itself: ``HTTPRequest/isFromLoopback(or:)``.
  package var isFromLoopback: Bool
  /// The id of the request, or of the one that opened the socket, in logs.
  package var requestID = ""
}

extension TrustedProxies {
  /// Returns the origin of a request.
  ///
  /// - Parameter others: the networks whose clients count as this machine's.
  package func origin(of request: HTTPRequest, or others: EmulatorClients = .none) -> RequestOrigin {
    RequestOrigin(
      address: address(of: request.peer, forwardedFor: request.headers["X-Forwarded-For"]),
      isFromLoopback: request.isFromLoopback(or: others), requestID: request.id)
  }
}

extension HTTPRequest {
  /// Returns true when this machine sends the request, and for itself: the connection's peer is here, requests a name
  /// of this machine or a numeric address, forwards no other client's request, and is no browser that shows a page of
  /// another site.
  ///
  /// Every API checks this before it grants an emulator's access without a real credential.
  ///
  /// - Parameter others: the networks whose clients count as this machine's.
  package func isFromLoopback(or others: EmulatorClients) -> Bool {
    guard !isForwarded, RequestingPage(self) != .foreign else { return false }
    if peer.isLoopback { return isHostCertain }
    return others.contains(peer) && (isHostCertain || isHostPrivate)
  }

  /// True when the request's host is no name that its owner could make resolve to this machine, which would make a
  /// foreign page and this server one origin. Android's emulator reaches its host machine by the address 10.0.2.2. The
  /// unspecified address does not count: browsers accept pages of all sites there, and send no mark of the page with
  /// it.
  private var isHostCertain: Bool {
    RequestingPage.isLocal(host: hostName) || IPAddress(hostName).map { !$0.isUnspecified } == true
  }

  /// True for a name that no public zone has: that of a container or of its host.
  private var isHostPrivate: Bool { !hostName.isEmpty && !hostName.contains(".") || hostName.hasSuffix(".internal") }

  private var isForwarded: Bool {
    headers.contains { name, _ in
      let name = name.lowercased()
      return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }
}
