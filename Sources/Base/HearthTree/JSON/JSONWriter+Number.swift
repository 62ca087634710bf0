extension JSONWriter {
  /// Writes an integer in decimal digits.
  public mutating func write(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    writeDigits(value.magnitude)
  }

  /// Writes the shortest text that reads back as the same double. Integral values up to 2^53 have neither fraction nor
  /// exponent (a Java client treats `5.0` and `5` as different values); larger ones always have one, because bare
  /// digits beyond 64 bits make that client fail. JSON has no infinities: they are written as null.
  public mutating func write(_ value: Double) {
    guard value.isFinite else { return write(raw: "null") }
    if value.magnitude <= 9_007_199_254_740_992, value == value.rounded(.towardZero) {
      return write(Int64(value))
    }
    var text = value.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  private mutating func writeDigits(_ value: UInt64) {
    if value < 10 { return bytes.append(0x30 + UInt8(truncatingIfNeeded: value)) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (rest, start) = (value, 20)
      while rest > 0 {
        start -= 1
        digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      bytes.append(contentsOf: digits[start...])
    }
  }
}
