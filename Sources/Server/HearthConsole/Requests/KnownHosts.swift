import HearthCrypto

/// The names and addresses by which browsers may ask for the console.
///
/// A page of another site can let its own name point to this machine and then passes for one of this server's: DNS
/// rebinding. Its name is not in this list, and so nothing is answered.
package struct KnownHosts: Sendable, Equatable {
  private var names: Set<String>
  /// An address cannot be made to point elsewhere.
  private var takesAddresses: Bool

  /// Those of this machine, in the forms that browsers send.
  private static let loopback: Set = ["localhost", "127.0.0.1", "::1"]

  /// - Parameters:
  ///   - host: the address that is listened on; with one that means all, requests to any address are known.
  ///   - names: what else leads here.
  package init(host: String, names: [String]) {
    let host = Self.bare(host)
    takesAddresses = ["", "0.0.0.0", "::"].contains(host)
    self.names = Self.loopback.union(names.map(Self.bare))
    if !takesAddresses { self.names.insert(host) }
  }

  private static func bare(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
  }

  /// - Parameter name: lower case, without port and brackets.
  func contains(_ name: String) -> Bool { names.contains(name) || (takesAddresses && Self.isAddress(name)) }

  /// Digits and dots, or hexadecimal digits and colons: no name that anybody could register.
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
