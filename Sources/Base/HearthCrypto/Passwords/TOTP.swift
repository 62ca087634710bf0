/// Time-based one-time passwords (RFC 6238) as authenticator apps compute them: HMAC-SHA-1, steps of 30 seconds, six
/// digits.
public enum TOTP {
  /// Length of a step, as RFC 6238 recommends.
  public static let periodSeconds: Int64 = 30
  /// Decimal digits of a code.
  public static let digits = 6
  /// 160 bits: the output length of the hash, as RFC 4226 recommends.
  public static let secretBytes = 20

  /// Generates a secret of ``secretBytes`` bytes for a new enrolment.
  public static func newSecret(random: RandomBytes) throws(RandomnessError) -> [UInt8] {
    try random.bytes(secretBytes)
  }

  /// Returns the step of a time in seconds since 1970.
  public static func step(atSeconds seconds: Int64) -> Int64 {
    // Rounds down for times before 1970 too, where a division alone would round up.
    let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: periodSeconds)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Returns the code of one step; nil when the secret is empty.
  ///
  /// - Parameter digits: 1 to 9.
  public static func code(secret: [UInt8], step: Int64, digits: Int = digits) -> String? {
    guard (1...9).contains(digits) else { return nil }
    let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
    guard let hash = HashFunction.sha1.hmac(counter, key: secret) else { return nil }
    let offset = Int(hash[19] & 15)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    var modulus: UInt32 = 1
    for _ in 0..<digits { modulus *= 10 }
    let text = String(number % modulus)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }

  /// Returns the step whose code was entered; nil when the code matches no step around the current time, or only one
  /// that is not later than the last accepted step, so that an observed code cannot be used a second time.
  ///
  /// - Parameter window: The number of earlier and later steps that are accepted, for clocks that differ.
  public static func matchingStep(
    secret: [UInt8], code: String, nowSeconds: Int64, window: Int64 = 1, after lastAcceptedStep: Int64 = .min
  ) -> Int64? {
    let shown = Array(code.utf8)
    let now = step(atSeconds: nowSeconds)
    var found: Int64?
    // Compares all steps, each in constant time, so that the duration does not reveal how close a code was.
    for step in now - max(0, window)...now + max(0, window) where step > lastAcceptedStep {
      guard let right = Self.code(secret: secret, step: step) else { return nil }
      if ConstantTime.equal(Array(right.utf8), shown), found == nil { found = step }
    }
    return found
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the bytes in Base32 (RFC 4648) without padding, the format in which secrets are displayed and entered.
  public static func base32(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 & 0xFFFF | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> UInt32(bitCount)) & 31])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(5 - bitCount)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes Base32 text of either case, padded or not; nil for any other text.
  public static func secret(base32 text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    var digits = Array(text.utf8)
    if digits.count.isMultiple(of: 8) { while digits.last == UInt8(ascii: "=") { digits.removeLast() } }
    guard ![1, 3, 6].contains(digits.count % 8) else { return nil }
    for digit in digits {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(digit) ? digit - 32 : digit
      guard let value = alphabet.firstIndex(of: upper) else { return nil }
      bits = (bits << 5 | UInt32(value)) & 0xFFFF
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bits & (1 << UInt32(bitCount) - 1) == 0 ? bytes : nil
  }
}
