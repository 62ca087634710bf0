extension JSONReader {
  /// Reads a number as the tree stores it: an integer when it is written as one and fits 64 bits, otherwise a double.
  /// Negative zero is zero. A number beyond the doubles (`1e400`) is an error; one too small for them is zero.
  public mutating func number() throws(JSONError) -> Scalar {
    let byte = try peek()
    guard byte == UInt8(ascii: "-") || isDigit(byte) else { throw wrongKind("a number") }
    let start = position
    var parts = JSONNumberParts()
    parts.isNegative = byte == UInt8(ascii: "-")
    if parts.isNegative { position += 1 }
    try integerDigits(&parts)
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") { try fraction(&parts) }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") { try exponent(&parts) }
    guard position - start <= limits.numberSizeBytesMax else {
      throw JSONError(
        .numberOutOfRange, "A number has more than \(limits.numberSizeBytesMax) characters", at: start)
    }
    if let scalar = parts.scalar { return scalar }
    // The standard library rounds correctly in every locale.
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw JSONError(.numberOutOfRange, "A number is out of the range of a double", at: start)
    }
    return .double(value == 0 ? 0 : value)
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private mutating func integerDigits(_ parts: inout JSONNumberParts) throws(JSONError) {
    guard position < bytes.count, isDigit(bytes[position]) else { throw digitMissing() }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
      if position < bytes.count, isDigit(bytes[position]) { throw unexpectedByte("no digit after a leading zero") }
      return
    }
    while position < bytes.count, isDigit(bytes[position]) {
      parts.append(bytes[position], isFraction: false)
      position += 1
    }
  }

  private mutating func fraction(_ parts: inout JSONNumberParts) throws(JSONError) {
    position += 1
    guard position < bytes.count, isDigit(bytes[position]) else { throw digitMissing() }
    parts.isInteger = false
    while position < bytes.count, isDigit(bytes[position]) {
      parts.append(bytes[position], isFraction: true)
      position += 1
    }
  }

  private mutating func exponent(_ parts: inout JSONNumberParts) throws(JSONError) {
    position += 1
    var isNegative = false
    if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    guard position < bytes.count, isDigit(bytes[position]) else { throw digitMissing() }
    parts.isInteger = false
    var value = 0
    while position < bytes.count, isDigit(bytes[position]) {
      // The exponent is already far beyond any double; further digits are ignored.
      if value < 100_000 { value = value * 10 + Int(bytes[position] - 0x30) }
      position += 1
    }
    parts.exponent += isNegative ? -value : value
  }

  private func digitMissing() -> JSONError {
    position < bytes.count
      ? unexpectedByte("a digit") : JSONError(.unexpectedEnd, "Unexpected end of the JSON", at: position)
  }
}

/// The digits of a number while it is read.
struct JSONNumberParts {
  var isNegative = false
  /// True while no fraction and no exponent were read.
  var isInteger = true
  /// The power of ten by which the digits are multiplied.
  var exponent = 0
  private var digits: UInt64 = 0
  private var digitCount = 0
  private var isExact = true

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// Appends an ASCII digit. Nineteen of them always fit 64 bits.
  @inline(__always)
  mutating func append(_ byte: UInt8, isFraction: Bool) {
    guard digitCount < 19 else {
      isExact = false
      return
    }
    digits = digits &* 10 &+ UInt64(byte &- 0x30)
    if digits != 0 { digitCount += 1 }
    if isFraction { exponent -= 1 }
  }

  /// The value when it can be computed exactly: an integer of 64 bits, or digits and a power of ten that are both exact
  /// doubles, so that only one operation rounds (Clinger's fast path); nil otherwise.
  var scalar: Scalar? {
    guard isExact else { return nil }
    if isInteger {
      if digits <= UInt64(Int64.max) { return .int(isNegative ? -Int64(digits) : Int64(digits)) }
      if isNegative, digits == UInt64(Int64.max) + 1 { return .int(.min) }
      return .double(isNegative ? -Double(digits) : Double(digits))
    }
    if digits == 0 { return .double(0) }
    guard digits <= 1 << 53, abs(exponent) < Self.powersOfTen.count else { return nil }
    let power = Self.powersOfTen[abs(exponent)]
    let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
    return .double(isNegative ? -value : value)
  }
}
