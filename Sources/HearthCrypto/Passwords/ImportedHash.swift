/// Password hashes that other systems have made, in the terms of Firebase's import (`accounts:batchCreate`).
public enum ImportedHash {
  /// Names of the import interface.
  public enum Algorithm: String, Sendable, CaseIterable {
    case scrypt = "SCRYPT"
    case standardScrypt = "STANDARD_SCRYPT"
    case bcrypt = "BCRYPT"
    case pbkdfSHA1 = "PBKDF_SHA1"
    case pbkdf2SHA256 = "PBKDF2_SHA256"
    case hmacMD5 = "HMAC_MD5"
    case hmacSHA1 = "HMAC_SHA1"
    case hmacSHA256 = "HMAC_SHA256"
    case hmacSHA512 = "HMAC_SHA512"
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"
    case argon2 = "ARGON2"
    /// Ours: the hash field is a whole stored string, as an export of this server writes it.
    case hearth = "HEARTH"
  }

  /// How password and salt are put together.
  public enum Order: String, Sendable {
    case saltAndPassword = "SALT_AND_PASSWORD"
    case passwordAndSalt = "PASSWORD_AND_SALT"
  }

  /// What all hashes of one import have in common.
  public struct Parameters: Sendable, Equatable {
    public var algorithm: Algorithm
    /// Names the key of `SCRYPT` and `HMAC_…`; the key itself is kept elsewhere, sealed.
    public var signerKeyID: String?
    /// `SCRYPT`: bytes that follow each salt.
    public var saltSeparator: [UInt8] = []
    public var rounds: Int64?
    /// `SCRYPT`: log2 of N.
    public var memoryCost: Int64?
    /// `STANDARD_SCRYPT`: N itself.
    public var cpuMemCost: Int64?
    public var parallelization: Int64?
    public var blockSize: Int64?
    /// `STANDARD_SCRYPT`: bytes of a hash.
    public var dkLen: Int64?
    /// Nil is each algorithm's own default.
    public var order: Order?
    public var argon2: Argon2Parameters?

    public init(_ algorithm: Algorithm, signerKeyID: String? = nil) {
      self.algorithm = algorithm
      self.signerKeyID = signerKeyID
    }
  }

  /// `argon2Parameters` of the import interface.
  public struct Argon2Parameters: Sendable, Equatable {
    public enum HashType: String, Sendable, CaseIterable {
      case d = "ARGON2_D"
      case i = "ARGON2_I"
      case id = "ARGON2_ID"
    }

    public enum Version: String, Sendable, CaseIterable {
      case v10 = "VERSION_10"
      case v13 = "VERSION_13"
    }

    public var hashType: HashType
    /// Bytes of a hash.
    public var hashLengthBytes: Int64
    public var parallelism: Int64
    public var iterations: Int64
    public var memoryCostKiB: Int64
    public var version: Version = .v13
    public var associatedData: [UInt8] = []

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

  /// The stored string of one user, that ``PasswordHash/verify(_:against:allowsDeveloperCost:signerKey:)`` takes.
  ///
  /// - Parameters:
  ///   - hash: the decoded `passwordHash`.
  ///   - salt: the decoded `salt`; empty when there is none.
  /// - Throws: an ``ImportedHashError`` for what could never be verified, so that it is refused now and not when the
  ///   user comes.
  public static func storedString(
    hash: [UInt8], salt: [UInt8], parameters: Parameters
  ) throws(ImportedHashError) -> String {
    let stored = try ImportReader(parameters: parameters, hash: hash, salt: salt).stored()
    guard stored.isWithinBounds else { throw stored.boundsError }
    return stored.text
  }

  /// A stored string taken apart again.
  public struct Parts: Sendable, Equatable {
    public var hash: [UInt8]
    public var salt: [UInt8]
    public var parameters: Parameters
  }

  /// The parts of a stored string, for an export; nil when it is malformed. Hashes that were made here come out as
  /// `STANDARD_SCRYPT`, which other systems can import; those with a pepper as `HEARTH`.
  public static func parts(of stored: String) -> Parts? { StoredHash(parsing: stored)?.parts }
}

/// Why a hash cannot be imported.
public struct ImportedHashError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    case missingParameter = "missing_parameter"
    case parameterOutOfBounds = "parameter_out_of_bounds"
    case unsupportedRounds = "unsupported_rounds"
    case malformedHash = "malformed_hash"
    case malformedSalt = "malformed_salt"
  }

  public var code: Code
  /// What is wrong, and what would be right. No part of a hash.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
