/// Numbers as people read them.
package enum Figure {
  /// `1234567.8` as `1,234,568`.
  package static func grouped(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var (digits, out) = (String(Int64(value.rounded())), "")
    while digits.count > 3 {
      out = "," + digits.suffix(3) + out
      digits.removeLast(3)
    }
    return digits + out
  }
}
