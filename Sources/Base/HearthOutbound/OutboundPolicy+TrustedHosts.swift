import HearthBytes

extension OutboundPolicy {
  /// Returns the policy for requests to a URL that the operator configured: its host may have any address, and TLS is
  /// not used when the URL is `http:`.
  ///
  /// - Throws: `invalidRequest` or `forbiddenAddress` for an invalid URL.
  public static func trustingHost(of url: String) throws(OutboundError) -> OutboundPolicy {
    OutboundPolicy(trustedHosts: [try OutboundTarget(url).host], allowsPlainHTTP: true)
  }

  /// Returns the policy for messages to a receiver at a URL. A URL with a host name or address of this machine is
  /// permitted, even without TLS; other addresses that are not public, and `http:` to them, need `allowsPrivate`.
  ///
  /// - Parameters:
  /// - allowsPrivate: True when the operator permits private addresses.
  /// - authorityFile: A PEM file with the certificates to trust, instead of the system's, at a receiver that may have
  ///   any address.
  /// - Throws: `invalidRequest` or `forbiddenAddress` for an invalid URL.
  public static func forReceiver(
    at url: String, allowsPrivate: Bool, authorityFile: String? = nil
  ) throws(OutboundError) -> OutboundPolicy {
    let target = try OutboundTarget(url)
    // Other loopback addresses are not permitted: services such as a resolver may use them without the operator's
    // knowledge.
    guard allowsPrivate || ["127.0.0.1", "::1", "localhost"].contains(target.host) else {
      guard !target.isPlain else { throw OutboundError(.forbiddenAddress, "requests to \(target.host) must use https") }
      return .publicHTTPS
    }
    return OutboundPolicy(trustedHosts: [target.host], allowsPlainHTTP: true, authorityFile: authorityFile)
  }

  /// Checks a receiver before it is stored: its URL, and its address when that is part of the URL. The address of a
  /// name is checked with each request.
  ///
  /// - Throws: as ``forReceiver(at:allowsPrivate:authorityFile:)``.
  public static func checkReceiver(at url: String, allowsPrivate: Bool) throws(OutboundError) {
    let (policy, target) = (try forReceiver(at: url, allowsPrivate: allowsPrivate), try OutboundTarget(url))
    guard let address = IPAddress(target.host) else { return }
    guard policy.admits(address, host: target.host, isPlain: target.isPlain) else {
      throw OutboundError(.forbiddenAddress, "\(target.host) is a private address")
    }
  }
}
