/// The cost of one password hash: scrypt's parameters (RFC 7914).
///
/// Work grows with N·r·p, memory with N·r; N is 2 to the power of ``logN``.
public struct PasswordCost: Sendable, Hashable {
  /// log2 of N, the number of blocks: 4 to 20.
  public let logN: Int
  /// Block size in units of 128 bytes: 1 to 32.
  public let r: Int
  /// The number of sequential repetitions of the work in the same memory: 1 to 16.
  public let p: Int

  /// The limits for stored native hashes. A manipulated row in the store must not cause an allocation of gigabytes.
  static let logNRange = 4...20
  static let rRange = 1...32
  static let pRange = 1...16
  static let memoryBytesMax = 256 << 20

  /// Creates a cost; nil outside of 4 ≤ logN ≤ 20, 1 ≤ r ≤ 32, 1 ≤ p ≤ 16, or for more than 256 MiB.
  public init?(logN: Int, r: Int, p: Int) {
    guard Self.logNRange.contains(logN), Self.rRange.contains(r), Self.pRange.contains(p),
      128 * r << logN <= Self.memoryBytesMax
    else { return nil }
    self.init(checkedLogN: logN, r: r, p: p)
  }

  private init(checkedLogN logN: Int, r: Int, p: Int) {
    self.logN = logN
    self.r = r
    self.p = p
  }

  /// The standard cost: about half a second and 128 MiB, the first of OWASP's recommended settings for scrypt.
  public static let standard = PasswordCost(checkedLogN: 17, r: 8, p: 1)

  /// A cost for machines with little memory: about a quarter of a second and 16 MiB, also recommended by OWASP.
  public static let small = PasswordCost(checkedLogN: 14, r: 8, p: 5)

  /// A cost of microseconds, for tests and development. Such a hash does not verify on a server with a real cost.
  public static let developer = PasswordCost(checkedLogN: 4, r: 8, p: 1)

  /// The settings that OWASP's password storage cheat sheet considers equally strong. A production server uses one of
  /// them or a stronger one.
  public static let recommended: [PasswordCost] = [
    .standard,
    PasswordCost(checkedLogN: 16, r: 8, p: 2),
    PasswordCost(checkedLogN: 15, r: 8, p: 3),
    .small,
    PasswordCost(checkedLogN: 13, r: 8, p: 10),
  ]

  /// The memory of one computation, in bytes.
  public var memoryBytes: Int { 128 * r << logN + 128 * r * p }

  /// True when the cost is weaker than every setting in ``recommended``.
  public var isBelowFloor: Bool { !Self.recommended.contains { isAtLeast($0) } }

  /// Returns true when no parameter is below that of `other`.
  func isAtLeast(_ other: PasswordCost) -> Bool { logN >= other.logN && r >= other.r && p >= other.p }

  /// The work by which costs are compared: N·r·p. One unit takes half a microsecond on a machine of 2020.
  var work: Int { r * p << logN }
}
