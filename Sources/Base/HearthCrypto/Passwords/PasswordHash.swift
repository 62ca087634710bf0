import COpenSSL

/// Password hashes: made with scrypt as `$scrypt$ln=17,r=8,p=1$SALT$HASH` (the PHC string format, standard base64
/// without padding), and also verified in every format of ``ImportedHash``.
///
/// Passwords are hashed byte by byte as received: they are not trimmed, normalised or truncated. (scrypt itself ignores
/// trailing zero bytes of passwords shorter than 64 bytes.) Each call takes the time of a hash, so it must not run on
/// an event loop.
public enum PasswordHash {
  /// The maximum size of a password in bytes of UTF-8. Longer ones never match, and cannot be set.
  public static let passwordBytesMax = 4_096

  static let saltBytes = 16
  static let hashBytes = 32

  /// A key that is mixed into each hash and stored elsewhere, so that a copy of the hashes alone cannot be attacked by
  /// guessing.
  public struct Pepper: Sendable, Redacted {
    /// The pepper's name in hashes: 1 to 64 letters, digits, `-`, `_`, `.`.
    public let id: String
    let key: [UInt8]

    /// Creates a pepper; nil when the ID is not well-formed, or the key has fewer than 16 bytes.
    public init?(id: String, key: [UInt8]) {
      guard StoredHash.isKeyID(id), key.count >= 16 else { return nil }
      self.id = id
      self.key = key
    }
  }

  /// Creates a hash with a new salt.
  public static func make(
    _ password: String, cost: PasswordCost, pepper: Pepper? = nil, random: RandomBytes
  ) throws(PasswordHashError) -> String {
    let length = password.utf8.count
    guard length > 0 else { throw PasswordHashError(.emptyPassword) }
    guard length <= passwordBytesMax else { throw PasswordHashError(.passwordTooLong) }
    guard let salt = try? random.bytes(saltBytes), salt.count == saltBytes else {
      throw PasswordHashError(.noRandomness)
    }
    var stored = StoredHash(
      scheme: .native(cost, pepperID: pepper?.id), salt: salt, hash: [UInt8](repeating: 0, count: hashBytes))
    guard let hash = stored.derive(WipedBytes(password), pepper: pepper, signerKey: { _ in nil }) else {
      throw PasswordHashError(.outOfMemory)
    }
    stored.hash = hash
    return stored.text
  }

  /// Returns true when the password is the one that `stored` was made from. False for a text that is malformed, out of
  /// bounds, or weaker than permitted.
  ///
  /// - Parameters:
  /// - allowsDeveloperCost: True to accept native hashes that are weaker than ``PasswordCost/recommended``.
  /// - signerKey: Returns the key with an ID for an imported hash; nil when it is missing.
  public static func verify(
    _ password: String, against stored: String, allowsDeveloperCost: Bool, pepper: Pepper? = nil,
    signerKey: (String) -> [UInt8]?
  ) -> Bool {
    attempt(password, stored, allowsDeveloperCost, pepper, signerKey).isRight
  }

  /// Verifies a password, and when it is wrong, takes as much work as a hash of `cost`, whether `stored` has another
  /// cost, is a cheap import, is damaged, or is nil for an unknown account. Otherwise the duration would reveal which
  /// accounts exist.
  public static func verifyWithConstantWork(
    _ password: String, against stored: String?, cost: PasswordCost, allowsDeveloperCost: Bool,
    pepper: Pepper? = nil, signerKey: (String) -> [UInt8]?
  ) -> Bool {
    let (isRight, work) = stored.map { attempt(password, $0, allowsDeveloperCost, pepper, signerKey) } ?? (false, 0)
    if !isRight { spend(cost.work - work, cost: cost) }
    return isRight
  }

  /// Returns true when a hash should be replaced at the next sign-in with the password: it has another scheme, a
  /// parameter below `cost`, a short salt, or another pepper.
  public static func needsRehash(_ stored: String, cost: PasswordCost, pepper: Pepper? = nil) -> Bool {
    guard let stored = StoredHash(parsing: stored), case .native(let made, let pepperID) = stored.scheme else {
      return true
    }
    return !made.isAtLeast(cost) || stored.salt.count < saltBytes || stored.hash.count < hashBytes
      || pepperID != pepper?.id
  }

  private static func attempt(
    _ password: String, _ stored: String, _ allowsDeveloperCost: Bool, _ pepper: Pepper?,
    _ signerKey: (String) -> [UInt8]?
  ) -> (isRight: Bool, work: Int) {
    guard (1...passwordBytesMax).contains(password.utf8.count), let stored = StoredHash(parsing: stored) else {
      return (false, 0)
    }
    if case .native(let cost, _) = stored.scheme, cost.isBelowFloor, !allowsDeveloperCost { return (false, 0) }
    guard let derived = stored.derive(WipedBytes(password), pepper: pepper, signerKey: signerKey) else {
      return (false, 0)
    }
    return (ConstantTime.equal(derived, stored.hash), stored.work)
  }

  /// Performs about `work` units of work, by computing hashes with decreasing costs.
  static func spend(_ work: Int, cost: PasswordCost) {
    for part in parts(of: work, cost: cost) {
      let password = WipedBytes(count: 16)
      _ = Scrypt.derive(
        password, salt: [UInt8](repeating: 0, count: saltBytes), logN: part.logN, r: part.r, p: part.p,
        sizeBytes: hashBytes)
    }
  }

  /// Returns costs that add up to `work`, except for a remainder too small to be noticed; `cost` itself when it fits.
  static func parts(of work: Int, cost: PasswordCost) -> [PasswordCost] {
    var parts: [PasswordCost] = []
    var rest = work
    var part: PasswordCost? = cost
    while let next = part {
      if next.work <= rest {
        parts.append(next)
        rest -= next.work
      } else {
        part =
          next.p > 1
          ? PasswordCost(logN: next.logN, r: next.r, p: next.p / 2)
          : PasswordCost(logN: next.logN - 1, r: next.r, p: 1)
      }
      if parts.count > 64 { break }
    }
    return parts
  }
}
