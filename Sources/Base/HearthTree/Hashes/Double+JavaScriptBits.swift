#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Double {
  /// The IEEE-754 bits as JavaScript clients compute them.
  ///
  /// They compute the exponent as floor(log v / log 2). When the quotient is rounded to the wrong side of an integer,
  /// the exponent is off by one: just below 4, 8, 16, … and at ten small powers of two. The fraction is then what v ·
  /// 2^(52 − exponent) − 2^52 rounds to, in two's complement, which is infinite, and written as zero, for v below
  /// 2^−971.
  var javaScriptBits: UInt64 {
    let size = magnitude
    guard size >= .leastNormalMagnitude, isFinite else { return bitPattern }
    let exponent = min((log(size) / log(2)).rounded(.down), 1023)
    let scale = exp2(52 - exponent)
    let fraction = (size * scale - 4_503_599_627_370_496 + 0.5).rounded(.down)
    let sign: UInt64 = self < 0 ? 1 << 63 : 0
    // An exponent is between -1024 and 1023, and a fraction that fits no integer counts as zero.
    let low = Int64(exactly: fraction).map { UInt64(bitPattern: $0) & (1 << 52 - 1) } ?? 0
    return sign | UInt64(bitPattern: Int64(exponent) + 1023) << 52 | low
  }
}
