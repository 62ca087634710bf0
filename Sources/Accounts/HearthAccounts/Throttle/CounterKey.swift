import HearthBytes
import HearthCrypto

/// The key of a counter: 16 bytes of an HMAC over the counted name, so that neither memory nor files contain personal
/// data.
struct CounterKey: Sendable, Hashable {
  enum Kind: UInt8, Sendable {
    case account, network, recipient, code, knownNetwork, resetRecipient, message, messageNetwork
  }

  let high: UInt64
  let low: UInt64

  /// - Parameter key: not empty.
  init(_ kind: Kind, _ text: String, key: [UInt8]) {
    let data = [kind.rawValue] + text.utf8
    // Only an empty key or a failing crypto library gives no HMAC; the counter then has a random key, at least.
    let code = HashFunction.sha256.hmac(data, key: key) ?? Digest(sha256: data).bytes
    high = Self.number(code[0..<8])
    low = Self.number(code[8..<16])
  }

  /// Parses the form that ``text`` writes; nil for another text.
  init?(text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.high = high
    self.low = low
    guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// The key as 32 lower-case hexadecimal digits.
  var text: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
