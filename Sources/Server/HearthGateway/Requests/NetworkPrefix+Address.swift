import HearthBytes
import HearthTransport
import HearthTree

extension NetworkPrefix {
  /// Creates the network of a client's address as text; ``unknown`` for an invalid one.
  package init(address: String) { self = IPAddress(address).map { NetworkPrefix($0) } ?? .unknown }
}

extension RequestOrigin {
  /// The client's network, behind trusted proxies.
  package var network: NetworkPrefix { NetworkPrefix(address: address) }
}
