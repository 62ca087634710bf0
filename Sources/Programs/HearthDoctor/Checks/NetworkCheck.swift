/// The network access to the server, and its certificate.
package struct NetworkCheck: Sendable {
  /// The content of a certificate's files.
  package enum Certificate: Sendable, Equatable {
    /// A certificate that is valid until then, in seconds since 1970.
    case until(Int64)
    /// An unusable certificate, with the reason.
    case unusable(String)
  }

  /// The current time in seconds since 1970.
  package var nowSeconds: Int64
  /// True when other machines can reach the port.
  package var isReachable: Bool
  /// True when a trusted proxy is configured, which terminates TLS.
  package var isBehindProxy: Bool
  /// True when the folder is served by `hearth dev`.
  package var isDevelopment: Bool
  /// The certificate; nil without TLS.
  package var certificate: Certificate?

  /// Creates a check of the folder's last configuration.
  package init(
    nowSeconds: Int64, isReachable: Bool, isBehindProxy: Bool, isDevelopment: Bool, certificate: Certificate?
  ) {
    (self.nowSeconds, self.isReachable, self.isBehindProxy) = (nowSeconds, isReachable, isBehindProxy)
    (self.isDevelopment, self.certificate) = (isDevelopment, certificate)
  }

  private static let daySeconds: Int64 = 86_400
  /// The remaining days below which a certificate is reported; renewals are due long before.
  static let endingDays: Int64 = 14

  /// The findings on the certificate, and on a port without one.
  package var findings: [Finding] {
    var findings = [tls].compactMap { $0 }
    if isDevelopment, isReachable {
      findings.append(
        Finding(
          "development-reachable", .warning, "hearth dev serves an address that other machines reach",
          advice: "use hearth serve: hearth dev creates databases for every client and enables sign-in methods"))
    }
    return findings
  }

  private var tls: Finding? {
    switch certificate {
    case .unusable(let reason)?:
      return Finding(
        "certificate-unusable", .error, reason,
        advice: "put the pair right; a running server keeps the one it has, and the next start fails")
    case .until(let end)?:
      let days = (end - nowSeconds) / Self.daySeconds
      if end < nowSeconds {
        return Finding("certificate-ended", .error, "the certificate has ended: clients refuse it", advice: "renew it")
      }
      if days < Self.endingDays {
        return Finding(
          "certificate-ending", .warning, "the certificate ends in \(days) days",
          advice: "find out why it is not renewed")
      }
      return Finding(ok: "certificate", "the certificate counts for \(days) days")
    case nil where isReachable && isBehindProxy:
      return Finding(
        "plain-text", .notice, "the port speaks plain text to other machines, as to a proxy",
        advice: "see that only the proxy reaches it, or listen on 127.0.0.1 where the proxy is on this machine")
    case nil where isReachable:
      return Finding(
        "plain-text", .error,
        "the port speaks plain text to other machines: tokens and passwords can be read on the way",
        advice: "give it a certificate (--tls-cert, --tls-key), or listen on 127.0.0.1 behind a proxy")
    case nil: return Finding(ok: "network", "only this machine reaches the port")
    }
  }
}
