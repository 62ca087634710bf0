/// The hash of one password with everything that is needed to check it, except for keys that are stored elsewhere.
struct StoredHash: Sendable, Equatable {
  /// The scheme that derived `hash` from the password.
  enum Scheme: Sendable, Equatable {
    /// The server's own: scrypt, and with a pepper HMAC-SHA-256 over it.
    case native(PasswordCost, pepperID: String?)
    /// Firebase's scheme. This scheme and the following ones occur only in imported hashes.
    case firebaseScrypt(logN: Int, r: Int, separator: [UInt8], keyID: String)
    /// An scrypt hash whose cost is too small to count as native.
    case scrypt(logN: Int, r: Int, p: Int)
    /// The `hash` is bcrypt's complete text, which includes the salt.
    case bcrypt
    case pbkdf2(HashFunction, iterations: Int)
    case hmac(HashFunction, keyID: String, order: Order)
    case digest(HashFunction, order: Order)
    case argon2(Argon2)
  }

  /// The order of password and salt that are hashed as one text.
  enum Order: String, Sendable {
    case saltFirst = "sp"
    case passwordFirst = "ps"
  }

  var scheme: Scheme
  var salt: [UInt8]
  var hash: [UInt8]

  /// The maximum size of a stored text, more than any text of this server has; a longer row was manipulated.
  static let textBytesMax = 4_096
  static let saltBytesMax = 256

  /// True when every part is within the permitted cost and valid for the scheme. Imports and stored rows have the same
  /// limits.
  var isWithinBounds: Bool {
    guard salt.count <= Self.saltBytesMax else { return false }
    switch scheme {
    case .native(_, let pepperID):
      return (8...64).contains(salt.count) && (16...64).contains(hash.count)
        && (pepperID.map(Self.isKeyID) ?? true) && (pepperID == nil || hash.count == 32)
    case .firebaseScrypt(let logN, let r, let separator, let keyID):
      return (1...14).contains(logN) && (1...8).contains(r) && separator.count <= 16 && Self.isKeyID(keyID)
        && (16...256).contains(hash.count)
    case .scrypt(let logN, let r, let p):
      return (1...17).contains(logN) && (1...8).contains(r) && (1...16).contains(p) && (16...64).contains(hash.count)
    case .bcrypt:
      return salt.isEmpty && Bcrypt.cost(of: hash) != nil
    case .pbkdf2(let function, let iterations):
      return [.sha1, .sha256].contains(function) && (1...120_000).contains(iterations)
        && (16...128).contains(hash.count)
    case .hmac(let function, let keyID, _):
      return Self.isKeyID(keyID) && hash.count == function.sizeBytes
    case .digest(let function, _):
      return hash.count == function.sizeBytes
    case .argon2(let argon2):
      return argon2.isWithinBounds && salt.count >= Argon2.saltBytesMin && (4...1_024).contains(hash.count)
    }
  }

  /// Returns true for a valid key ID, which must not contain the delimiters of a stored text.
  static func isKeyID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The approximate cost of a check, in the unit of ``PasswordCost/work``. The factors are measured against scrypt.
  var work: Int {
    switch scheme {
    case .native(let cost, _): cost.work
    case .firebaseScrypt(let logN, let r, _, _): r << logN
    case .scrypt(let logN, let r, let p): r * p << logN
    case .bcrypt: Bcrypt.cost(of: hash).map { 150 << $0 } ?? 0
    case .pbkdf2(let function, let iterations):
      iterations * ((hash.count + function.sizeBytes - 1) / function.sizeBytes)
    case .hmac, .digest: 0
    case .argon2(let argon2): argon2.memoryKiB * argon2.iterations * 2
    }
  }
}
