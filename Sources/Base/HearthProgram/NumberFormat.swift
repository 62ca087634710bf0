/// The formatting of numbers for people.
package enum NumberFormat {
  /// Returns `1234567.8` as `1,234,568`.
  package static func grouped(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var (digits, out) = (String(Int64(value.rounded())), "")
    while digits.count > 3 {
      out = "," + digits.suffix(3) + out
      digits.removeLast(3)
    }
    return digits + out
  }

  /// Returns a count with its noun, which gets an "s" in the plural: `1 backup`, `2 backups`, `1,000 backups`.
  package static func counted(_ count: Int, _ thing: String) -> String {
    "\(grouped(Double(count))) \(thing)\(count == 1 ? "" : "s")"
  }

  /// Returns `4.567` as `4.57`; for numbers from zero to some billions.
  package static func hundredths(_ value: Double) -> String {
    guard value.isFinite, value >= 0, value < 1e12 else { return "\(value)" }
    let number = Int64((value * 100).rounded())
    return "\(number / 100).\(number % 100 / 10)\(number % 10)"
  }

  /// Returns a number of bytes in the largest unit that fits: `643 MiB`, `1.5 GiB`.
  package static func bytes(_ bytes: Int) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes >> shift > 0 {
      let tenths = bytes / (1 << (shift - 4)) * 10 / 16
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
    }
    return "\(bytes) B"
  }
}
