extension OutboundPolicy {
  /// For requests to a URL that the operator named: its host may be at any address, and is asked in clear when the URL
  /// says so.
  ///
  /// - Throws: `invalidRequest` or `forbiddenAddress` for a URL that is never asked.
  public static func naming(_ url: String) throws(OutboundError) -> OutboundPolicy {
    OutboundPolicy(trustedHosts: [try OutboundTarget(url).host], allowsPlainHTTP: true)
  }

  /// For messages to a receiver at a URL. One that names this machine is the operator's word that the receiver may be
  /// there, also in clear; other addresses that are not public, and `http:` to them, take a word of their own.
  ///
  /// - Parameters:
  ///   - allowsPrivate: that word.
  ///   - authorityFile: a PEM file with the certificates to trust at a receiver that may be at any address, in place of
  ///     the system's.
  /// - Throws: `invalidRequest` or `forbiddenAddress` for a URL that is never asked.
  public static func receiving(
    at url: String, allowsPrivate: Bool, authorityFile: String? = nil
  ) throws(OutboundError) -> OutboundPolicy {
    let target = try OutboundTarget(url)
    // Other loopback addresses belong to services that an operator has not thought of, such as a resolver's.
    guard allowsPrivate || ["127.0.0.1", "::1", "localhost"].contains(target.host) else {
      guard !target.isPlain else { throw OutboundError(.forbiddenAddress, "requests to \(target.host) must be https") }
      return .publicHTTPS
    }
    return OutboundPolicy(trustedHosts: [target.host], allowsPlainHTTP: true, authorityFile: authorityFile)
  }
}
