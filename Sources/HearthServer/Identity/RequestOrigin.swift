/// Where a request or a socket comes from, as far as it can be believed.
struct RequestOrigin: Sendable, Equatable {
  /// The client's IP address; empty when it is not known.
  var address: String
  /// A program on this machine asks, for itself: ``HTTPRequest/isFromLoopback``.
  var isFromLoopback: Bool
}

extension HTTPRequest {
  /// True when a program on this machine asks, and for itself: the other end of the connection is here, passes nothing
  /// on for somebody else, and is no browser that shows a page of another site. Such a page may send requests to this
  /// machine as well, by its address or by a name that its owner lets point here.
  var isFromLoopback: Bool {
    guard peer.isLoopback, Self.isLocal(hostName) else { return false }
    guard headers["Origin"].allSatisfy(Self.isLocal(origin:)) else { return false }
    return !headers.contains { name, _ in
      let name = name.lowercased()
      return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }

  private static func isLocal(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.isLoopback == true
  }

  /// Pages from files, and those in closed frames, have the origin `null`: they can be anybody's.
  private static func isLocal(origin: String) -> Bool {
    guard let scheme = origin.utf8.firstRange(of: "://".utf8) else { return false }
    return isLocal(hostName(ofAuthority: String(origin[scheme.upperBound...])))
  }
}
