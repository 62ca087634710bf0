extension OutboundPolicy {
  /// A policy for requests to a URL that the operator named: its host may be at any address, and is requested without
  /// TLS when the URL is `http:`.
  ///
  /// - Throws: `invalidRequest` or `forbiddenAddress` for a URL that is never requested.
  public static func trustingHost(of url: String) throws(OutboundError) -> OutboundPolicy {
    OutboundPolicy(trustedHosts: [try OutboundTarget(url).host], allowsPlainHTTP: true)
  }

  /// A policy for messages to a receiver at a URL. A URL that names this machine permits the receiver there, also
  /// without TLS; other addresses that are not public, and `http:` to them, need `allowsPrivate`.
  ///
  /// - Parameters:
  ///   - allowsPrivate: the operator's permission for private addresses.
  ///   - authorityFile: a PEM file with the certificates to trust at a receiver that may be at any address, in place of
  ///     the system's.
  /// - Throws: `invalidRequest` or `forbiddenAddress` for a URL that is never requested.
  public static func forReceiver(
    at url: String, allowsPrivate: Bool, authorityFile: String? = nil
  ) throws(OutboundError) -> OutboundPolicy {
    let target = try OutboundTarget(url)
    // Other loopback addresses belong to services that an operator has not thought of, such as a resolver.
    guard allowsPrivate || ["127.0.0.1", "::1", "localhost"].contains(target.host) else {
      guard !target.isPlain else { throw OutboundError(.forbiddenAddress, "requests to \(target.host) must use https") }
      return .publicHTTPS
    }
    return OutboundPolicy(trustedHosts: [target.host], allowsPlainHTTP: true, authorityFile: authorityFile)
  }
}
