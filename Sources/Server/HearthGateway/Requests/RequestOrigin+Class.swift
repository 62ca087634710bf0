import HearthBytes
import HearthEngine
import HearthTransport

extension RequestOrigin {
  /// The class of the client's network.
  var addressClass: AddressClass {
    guard let address = IPAddress(address) else { return isFromLoopback ? .machine : .unknown }
    if address.isLoopback { return .machine }
    return Self.privateBlocks.contains { $0.contains(address) } ? .privateNetwork : .publicNetwork
  }

  /// The private blocks of RFC 1918, RFC 3927, RFC 4193 and RFC 4291.
  private static let privateBlocks = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10",
  ].compactMap { IPNetwork($0) }
}
