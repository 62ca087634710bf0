/// A block of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct IPNetwork: Sendable, Equatable {
  private let address: IPAddress
  /// The number of leading bits that are compared.
  private let bits: Int

  /// Reads a network; nil when the text is neither an address nor a block.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
    let width = address.bytes.count * 8
    var bits = width
    if parts.count == 2 {
      let digits = parts[1]
      guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(digits), number <= width
      else { return nil }
      bits = number
    }
    self.address = address
    self.bits = bits
  }

  /// True when the address is in the block.
  public func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = bits / 8
    guard other.bytes.prefix(whole).elementsEqual(address.bytes.prefix(whole)) else { return false }
    let rest = bits % 8
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
    return other.bytes[whole] & mask == address.bytes[whole] & mask
  }
}
