extension OutboundPolicy {
  /// For requests to a URL that the operator named: its host may be at any address, and is asked in clear when the URL
  /// says so.
  ///
  /// - Throws: `invalidRequest` or `forbiddenAddress` for a URL that is never asked.
  public static func naming(_ url: String) throws(OutboundError) -> OutboundPolicy {
    OutboundPolicy(trustedHosts: [try OutboundTarget(url).host], allowsPlainHTTP: true)
  }
}
