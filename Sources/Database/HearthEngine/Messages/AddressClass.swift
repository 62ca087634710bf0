/// The kind of network that a client uses, which is recorded instead of its address.
public enum AddressClass: UInt8, Sendable, CaseIterable {
  /// The network is unknown.
  case unknown = 0
  /// A program on this machine.
  case machine = 1
  /// An address for private networks: RFC 1918, RFC 4193, link-local.
  case privateNetwork = 2
  /// Any other address.
  case publicNetwork = 3

  /// The name in outputs: `machine`, `private`, `public`, `unknown`.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .machine: "machine"
    case .privateNetwork: "private"
    case .publicNetwork: "public"
    }
  }
}
