import HearthBytes

/// The addresses and schemes that requests may go to.
///
/// The policy is applied to the address that a name resolved to, at the moment the socket is opened: a check of the
/// name alone could be bypassed with a name that resolves to an internal address.
public struct OutboundPolicy: Sendable, Equatable {
  /// Hosts that the operator vouches for, in lower case: they may be at any address.
  public var trustedHosts: Set<String>
  /// True when `http:` is admitted to this machine and to hosts that are trusted.
  public var allowsPlainHTTP: Bool
  /// A PEM file with the certificates to trust in place of the system's, at trusted hosts only: the operator's own
  /// authority does not vouch for other hosts.
  public var authorityFile: String?

  /// A policy; without arguments it is ``publicHTTPS``.
  public init(
    trustedHosts: Set<String> = [], allowsPlainHTTP: Bool = false, authorityFile: String? = nil
  ) {
    self.trustedHosts = trustedHosts
    self.allowsPlainHTTP = allowsPlainHTTP
    self.authorityFile = authorityFile
  }

  /// HTTPS to public addresses.
  public static let publicHTTPS = OutboundPolicy()

  /// The file with the certificates to trust at that host; nil is the system's.
  func authorityFile(for host: String) -> String? { trustedHosts.contains(host) ? authorityFile : nil }

  /// Returns true when a socket to that address may be opened for a request to that host.
  func admits(_ address: IPAddress, host: String, isPlain: Bool) -> Bool {
    if trustedHosts.contains(host) { return true }
    return isPlain ? allowsPlainHTTP && address.isLoopback : address.isPublic
  }
}
