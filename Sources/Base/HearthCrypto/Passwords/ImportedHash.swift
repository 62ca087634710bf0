/// Password hashes of other systems, with the parameters of Firebase's import (`accounts:batchCreate`).
public enum ImportedHash {
  /// The algorithms, by their names in the import interface.
  public enum Algorithm: String, Sendable, CaseIterable {
    /// Firebase's modification of scrypt, which needs the project's signer key.
    case scrypt = "SCRYPT"
    /// scrypt as in RFC 7914.
    case standardScrypt = "STANDARD_SCRYPT"
    /// bcrypt: the hash field is the whole text `$2a$…`, `$2b$…` or `$2y$…`.
    case bcrypt = "BCRYPT"
    /// PBKDF2 (RFC 8018) over HMAC-SHA-1.
    case pbkdfSHA1 = "PBKDF_SHA1"
    /// PBKDF2 (RFC 8018) over HMAC-SHA-256.
    case pbkdf2SHA256 = "PBKDF2_SHA256"
    /// HMAC-MD5 of password and salt under the signer key.
    case hmacMD5 = "HMAC_MD5"
    /// HMAC-SHA-1 of password and salt under the signer key.
    case hmacSHA1 = "HMAC_SHA1"
    /// HMAC-SHA-256 of password and salt under the signer key.
    case hmacSHA256 = "HMAC_SHA256"
    /// HMAC-SHA-512 of password and salt under the signer key.
    case hmacSHA512 = "HMAC_SHA512"
    /// MD5 of salt and password; `rounds` must be 0.
    case md5 = "MD5"
    /// SHA-1 of salt and password; `rounds` must be 1.
    case sha1 = "SHA1"
    /// SHA-256 of salt and password; `rounds` must be 1.
    case sha256 = "SHA256"
    /// SHA-512 of salt and password; `rounds` must be 1.
    case sha512 = "SHA512"
    /// Argon2 (RFC 9106), with ``Argon2Parameters``.
    case argon2 = "ARGON2"
    /// The server's own format: the hash field is a complete stored string, as an export writes it.
    case hearth = "HEARTH"
  }

  /// The order of password and salt in the hashed text.
  public enum Order: String, Sendable {
    /// The salt's bytes, then the password's.
    case saltAndPassword = "SALT_AND_PASSWORD"
    /// The password's bytes, then the salt's.
    case passwordAndSalt = "PASSWORD_AND_SALT"
  }

  /// The properties that all hashes of one import share.
  public struct Parameters: Sendable, Equatable {
    /// The algorithm of the hashes.
    public var algorithm: Algorithm
    /// The name of the key of `SCRYPT` and `HMAC_…`; the key itself is stored elsewhere, encrypted.
    public var signerKeyID: String?
    /// `SCRYPT`: the bytes that are appended to each salt.
    public var saltSeparator: [UInt8] = []
    /// `SCRYPT`: r, 1 to 8. `PBKDF…`: iterations, 1 to 120,000. Plain hash functions: see ``Algorithm``.
    public var rounds: Int64?
    /// `SCRYPT`: log2 of N.
    public var memoryCost: Int64?
    /// `STANDARD_SCRYPT`: N itself.
    public var cpuMemCost: Int64?
    /// `STANDARD_SCRYPT`: p, 1 to 16.
    public var parallelization: Int64?
    /// `STANDARD_SCRYPT`: r, 1 to 8.
    public var blockSize: Int64?
    /// `STANDARD_SCRYPT`: bytes of a hash.
    public var dkLen: Int64?
    /// The order; nil for each algorithm's own default.
    public var order: Order?
    /// `ARGON2`: its parameters; nil for every other algorithm.
    public var argon2: Argon2Parameters?

    /// Creates parameters with an algorithm and, if it needs one, the ID of a signer key. The caller sets the others.
    public init(_ algorithm: Algorithm, signerKeyID: String? = nil) {
      self.algorithm = algorithm
      self.signerKeyID = signerKeyID
    }
  }

  /// `argon2Parameters` of the import interface.
  public struct Argon2Parameters: Sendable, Equatable {
    /// The three variants of RFC 9106.
    public enum HashType: String, Sendable, CaseIterable {
      /// Argon2d: its memory accesses depend on the password.
      case d = "ARGON2_D"
      /// Argon2i: its memory accesses do not depend on the password.
      case i = "ARGON2_I"
      /// Argon2id: the first half pass as Argon2i, the rest as Argon2d.
      case id = "ARGON2_ID"
    }

    /// The two versions of the algorithm that are in use.
    public enum Version: String, Sendable, CaseIterable {
      /// 1.0, `v=16` in stored texts.
      case v10 = "VERSION_10"
      /// 1.3, `v=19` in stored texts: the one of RFC 9106.
      case v13 = "VERSION_13"
    }

    /// The variant.
    public var hashType: HashType
    /// Bytes of a hash.
    public var hashLengthBytes: Int64
    /// Lanes (p of RFC 9106).
    public var parallelism: Int64
    /// Passes over the memory (t of RFC 9106).
    public var iterations: Int64
    /// Memory (m of RFC 9106): at least 8 KiB a lane.
    public var memoryCostKiB: Int64
    /// The algorithm's version; 1.3 when the import names none.
    public var version: Version = .v13
    /// Associated data (X of RFC 9106); mostly empty.
    public var associatedData: [UInt8] = []

    /// Creates parameters of version 1.3 without associated data.
    public init(
      hashType: HashType, hashLengthBytes: Int64, parallelism: Int64, iterations: Int64, memoryCostKiB: Int64
    ) {
      self.hashType = hashType
      self.hashLengthBytes = hashLengthBytes
      self.parallelism = parallelism
      self.iterations = iterations
      self.memoryCostKiB = memoryCostKiB
    }
  }

  /// Returns the stored string for one user, as ``PasswordHash/verify(_:against:allowsDeveloperCost:signerKey:)``
  /// accepts it.
  ///
  /// - Parameters:
  /// - hash: The decoded `passwordHash`.
  /// - salt: The decoded `salt`; empty when there is none.
  /// - Throws: An ``ImportedHashError`` for a hash that could never be verified, so that the import refuses it rather
  ///   than the user's sign-in.
  public static func storedString(
    hash: [UInt8], salt: [UInt8], parameters: Parameters
  ) throws(ImportedHashError) -> String {
    let stored = try ImportedHashConverter(parameters: parameters, hash: hash, salt: salt).stored()
    guard stored.isWithinBounds else { throw stored.boundsError }
    return stored.text
  }

  /// The parts of a stored string.
  public struct Parts: Sendable, Equatable {
    public var hash: [UInt8]
    /// The salt's bytes; empty when the algorithm has it in the hash, or has no salt.
    public var salt: [UInt8]
    /// The parameters for importing the hash again.
    public var parameters: Parameters
  }

  /// Returns the parts of a stored string, for an export; nil when it is malformed. The server's own hashes are
  /// exported as `STANDARD_SCRYPT`, which other systems can import; those with a pepper as `HEARTH`.
  public static func parts(of stored: String) -> Parts? { StoredHash(parsing: stored)?.parts }
}

/// The reason why a hash cannot be imported.
public struct ImportedHashError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The fault.
  public enum Code: String, Sendable, CaseIterable {
    /// A parameter that the algorithm needs is not given.
    case missingParameter = "missing_parameter"
    /// A parameter exceeds the permitted cost of a check.
    case parameterOutOfBounds = "parameter_out_of_bounds"
    /// A plain hash function with several rounds, whose composition is unknown.
    case unsupportedRounds = "unsupported_rounds"
    /// The hash does not have the form or the length that the algorithm and the parameters require.
    case malformedHash = "malformed_hash"
    /// The salt is too short or too long.
    case malformedSalt = "malformed_salt"
  }

  /// The code of the fault.
  public var code: Code
  /// The fault and its remedy. It contains no part of a hash.
  public var message: String

  /// Creates an error. The message states the remedy and must contain no part of a hash.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
