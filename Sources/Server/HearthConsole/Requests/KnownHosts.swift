import HearthCrypto

/// The names and addresses by which browsers may request the console.
///
/// A page of another site can make its own name resolve to this machine and then counts as one of this server's: DNS
/// rebinding. Its name is not in this list, and so its requests are refused.
package struct KnownHosts: Sendable, Equatable {
  private var names: Set<String>
  /// True when any address is accepted: an address cannot be rebound.
  private var acceptsAddresses: Bool

  /// The names of this machine, in the forms that browsers send.
  private static let loopback: Set = ["localhost", "127.0.0.1", "::1"]

  /// - Parameters:
  ///   - host: the listening address; with a wildcard address, requests to any address are accepted.
  ///   - names: the additional names of the server.
  package init(host: String, names: [String]) {
    let host = Self.withoutBrackets(host)
    acceptsAddresses = ["", "0.0.0.0", "::"].contains(host)
    self.names = Self.loopback.union(names.map(Self.withoutBrackets))
    if !acceptsAddresses { self.names.insert(host) }
  }

  private static func withoutBrackets(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
  }

  /// Returns true when the name is known.
  ///
  /// - Parameter name: lower case, without port and brackets.
  func contains(_ name: String) -> Bool { names.contains(name) || (acceptsAddresses && Self.isAddress(name)) }

  /// Returns true for digits and dots, or hexadecimal digits and colons: no name that can be registered.
  private static func isAddress(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isVersion4 = parts.count == 4 && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
    return isVersion4 || (name.utf8.contains(UInt8(ascii: ":")) && name.utf8.allSatisfy { isHexadecimal($0) })
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }
}
