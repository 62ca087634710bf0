/// Bytes as hexadecimal text.
public enum Hexadecimal {
  /// Returns lower-case digits, as ASCII.
  public static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// Returns a number as 16 lower-case digits.
  public static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Decodes ASCII digits of either case; nil for any other text.
  public static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 2) {
      guard let high = value(of: text[start]), let low = value(of: text[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the value of an ASCII digit of either case; nil for any other byte.
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
