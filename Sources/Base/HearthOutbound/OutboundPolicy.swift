import HearthBytes

/// The addresses and schemes to which requests may be sent.
///
/// The policy is applied to the resolved address when the socket is opened, because a check of the name could be
/// bypassed with a name that resolves to an internal address.
public struct OutboundPolicy: Sendable, Equatable {
  /// The hosts that the operator trusts, in lower case, which may have any address.
  public var trustedHosts: Set<String>
  /// True when `http:` is permitted to this machine and to trusted hosts.
  public var allowsPlainHTTP: Bool
  /// A PEM file with the certificates to trust instead of the system's, only for trusted hosts: the operator's own
  /// authority must not certify other hosts.
  public var authorityFile: String?

  /// Creates a policy; without arguments it is ``publicHTTPS``.
  public init(
    trustedHosts: Set<String> = [], allowsPlainHTTP: Bool = false, authorityFile: String? = nil
  ) {
    self.trustedHosts = trustedHosts
    self.allowsPlainHTTP = allowsPlainHTTP
    self.authorityFile = authorityFile
  }

  /// The policy that permits HTTPS to public addresses.
  public static let publicHTTPS = OutboundPolicy()

  /// Returns the file with the certificates to trust for a host; nil for the system's.
  func authorityFile(for host: String) -> String? { trustedHosts.contains(host) ? authorityFile : nil }

  /// Returns true when a socket to an address may be opened for a request to a host.
  func admits(_ address: IPAddress, host: String, isPlain: Bool) -> Bool {
    if trustedHosts.contains(host) { return true }
    return isPlain ? allowsPlainHTTP && address.isLoopback : address.isPublic
  }
}
