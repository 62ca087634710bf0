import ArgumentParser
import NIOCore

/// The address of a name, in the form of curl's `--resolve`: `shop.example.com:443:10.0.0.5`,
/// `shop.example.com:443:[::1]`.
struct ResolvedAddress: Sendable, Equatable, ExpressibleByArgument, CustomStringConvertible {
  /// The resolved name.
  var host: String
  var port: Int
  /// The IP address, an IPv6 one without brackets.
  var address: String

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let port = Int(parts[1]), (1...65_535).contains(port) else { return nil }
    var address = String(parts[2])
    if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
    guard (try? SocketAddress(ipAddress: address, port: port)) != nil else { return nil }
    (self.host, self.port, self.address) = (String(parts[0]), port, address)
  }

  /// Returns true when it applies to this server.
  func matches(_ server: ServerAddress) -> Bool {
    server.port == port && server.host.lowercased() == host.lowercased()
  }

  var description: String { "\(host):\(port):\(address.contains(":") ? "[\(address)]" : address)" }
}
