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
          "development-reachable", .warning, "hearth dev serves an address that other machines can reach",
          advice: "use hearth serve: hearth dev creates databases for every client and enables sign-in methods"))
    }
    return findings
  }

  private var tls: Finding? {
    switch certificate {
    case .unusable(let reason)?:
      return Finding(
        "certificate-unusable", .error, reason,
        advice: "correct the certificate and key; a running server keeps its current pair, but the next start fails")
    case .until(let end)?:
      let days = (end - nowSeconds) / Self.daySeconds
      if end < nowSeconds {
        return Finding(
          "certificate-ended", .error, "the certificate has expired: clients refuse it", advice: "renew it")
      }
      if days < Self.endingDays {
        return Finding(
          "certificate-ending", .warning, "the certificate expires in \(days) days",
          advice: "find out why it is not renewed")
      }
      return Finding(ok: "certificate", "the certificate is valid for \(days) days")
    case nil where isReachable && isBehindProxy:
      return Finding(
        "plain-text", .notice, "the port accepts unencrypted connections from other machines, as a proxy needs",
        advice: "make sure that only the proxy can reach it, or listen on 127.0.0.1 if the proxy is on this machine")
    case nil where isReachable:
      return Finding(
        "plain-text", .error,
        "the port accepts unencrypted connections from other machines: the network can read tokens and passwords",
        advice: "configure a certificate (--tls-cert, --tls-key), or listen on 127.0.0.1 behind a proxy")
    case nil: return Finding(ok: "network", "only this machine can reach the port")
    }
  }
}
