import HearthTree
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension NetworkPrefix {
  /// Creates the network of a socket's remote address.
  init(_ address: SocketAddress?) {
    switch address {
    case .v4(let address)?:
      self.init(addressBytes: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
    case .v6(let address)?:
      self.init(addressBytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
    case .unixDomainSocket?, nil: self = .unknown
    }
  }

  /// Returns the networks of a host name's addresses, or of an address as text; empty when there are none. Blocks.
  static func all(ofHost host: String) -> Set<NetworkPrefix> {
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    var networks: Set<NetworkPrefix> = []
    var next = found
    while let info = next?.pointee {
      next = info.ai_next
      guard let address = info.ai_addr else { continue }
      switch info.ai_family {
      case AF_INET:
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          _ = networks.insert(NetworkPrefix(SocketAddress($0.pointee, host: host)))
        }
      case AF_INET6:
        address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          _ = networks.insert(NetworkPrefix(SocketAddress($0.pointee, host: host)))
        }
      default: break
      }
    }
    return networks
  }
}
