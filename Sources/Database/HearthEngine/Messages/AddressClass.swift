/// Which kind of network somebody came over: what is kept of an address where the address itself is not to be kept.
public enum AddressClass: UInt8, Sendable, CaseIterable {
  /// Nobody said.
  case unknown = 0
  /// A program of this machine.
  case machine = 1
  /// An address that is used inside of networks only: RFC 1918, RFC 4193, link-local ones.
  case privateNetwork = 2
  /// Any other address.
  case publicNetwork = 3

  /// For people and programs: `machine`, `private`, `public`, `unknown`.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .machine: "machine"
    case .privateNetwork: "private"
    case .publicNetwork: "public"
    }
  }
}
