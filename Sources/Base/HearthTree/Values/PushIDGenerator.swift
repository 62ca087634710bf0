/// A generator of push IDs, the keys of list children: 20 characters that sort by time.
///
/// Eight digits of milliseconds and twelve random ones, in base 64 with an alphabet in ASCII order. The IDs of one
/// generator always ascend: within one millisecond, or when the clock is set back, the random digits of the last ID are
/// incremented.
public struct PushIDGenerator: Sendable {
  private static let alphabet: StaticString = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
  private static let digitCount = 12
  /// The largest number that fits eight digits of six bits.
  private static let millisecondsMax: Int64 = 1 << 48 - 1

  private var lastMilliseconds: Int64 = -1
  private var digits = [UInt8](repeating: 0, count: digitCount)

  /// Creates a generator.
  public init() {}

  /// Returns the next ID.
  ///
  /// - Parameters:
  /// - nowMilliseconds: The wall-clock time, since 1970.
  /// - random: The source of the random digits for a new millisecond.
  public mutating func next(nowMilliseconds: Int64, using random: inout some RandomNumberGenerator) -> String {
    let now = min(max(nowMilliseconds, 0), Self.millisecondsMax)
    if now > lastMilliseconds {
      start(now, using: &random)
    } else if !increment() {
      // The random digits are exhausted, so the next millisecond is used early.
      start(min(lastMilliseconds + 1, Self.millisecondsMax), using: &random)
    }
    return text
  }

  private mutating func start(_ milliseconds: Int64, using random: inout some RandomNumberGenerator) {
    lastMilliseconds = milliseconds
    var (low, high): (UInt64, UInt64) = (random.next(), random.next())
    for i in digits.indices {
      digits[i] = UInt8(low & 63)
      (low, high) = (low >> 6 | high << 58, high >> 6)
    }
  }

  /// Increments the random digits; false when they are exhausted.
  private mutating func increment() -> Bool {
    for i in digits.indices.reversed() {
      if digits[i] < 63 {
        digits[i] += 1
        return true
      }
      digits[i] = 0
    }
    return false
  }

  private var text: String {
    let letters = Self.alphabet.utf8Start  // the alphabet is a literal of 64 ASCII characters
    return String(unsafeUninitializedCapacity: 8 + Self.digitCount) { output in
      for i in 0..<8 { output[i] = letters[Int(lastMilliseconds >> Int64(42 - 6 * i) & 63)] }
      for i in digits.indices { output[8 + i] = letters[Int(digits[i])] }
      return 8 + Self.digitCount
    }
  }
}
