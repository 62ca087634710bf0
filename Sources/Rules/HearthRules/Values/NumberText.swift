/// The conversion of numbers to text in the rules language, which is that of JavaScript.
package enum NumberText {
  /// Returns the text of a number.
  package static func of(_ value: Double) -> String {
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return String(integer) }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    let (digits, point) = shortestDigits(value.magnitude)
    return (value < 0 ? "-" : "") + layout(digits, point)
  }

  /// Returns the shortest digits that identify the number, with the count of those before the decimal point.
  private static func shortestDigits(_ magnitude: Double) -> (digits: [UInt8], point: Int) {
    var digits: [UInt8] = []
    var (point, exponent, isNegative) = (nil as Int?, 0, false)
    var isExponent = false
    for byte in magnitude.description.utf8 {
      switch byte {
      case UInt8(ascii: "."): point = digits.count
      case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if isExponent { exponent = exponent * 10 + Int(byte - 48) } else { digits.append(byte) }
      default: break
      }
    }
    var place = (point ?? digits.count) + (isNegative ? -exponent : exponent)
    let leading = digits.prefix { $0 == 48 }.count
    digits.removeFirst(leading)
    place -= leading
    while digits.last == 48 { digits.removeLast() }
    return (digits, place)
  }

  /// ECMAScript's Number::toString: without an exponent from 1e-6 up to 1e21, otherwise with one.
  private static func layout(_ digits: [UInt8], _ point: Int) -> String {
    let text = String(decoding: digits, as: UTF8.self)
    if point > 0, point <= 21 {
      if digits.count <= point { return text + String(repeating: "0", count: point - digits.count) }
      return text.prefix(point) + "." + text.dropFirst(point)
    }
    if point <= 0, point > -6 { return "0." + String(repeating: "0", count: -point) + text }
    let exponent = point - 1
    let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
    return text.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+") + String(exponent.magnitude)
  }
}
