import HearthBytes

/// A converter of one imported user's hash to a stored hash.
struct ImportedHashConverter {
  var parameters: ImportedHash.Parameters
  var hash: [UInt8]
  var salt: [UInt8]

  func stored() throws(ImportedHashError) -> StoredHash {
    guard !hash.isEmpty else { throw ImportedHashError(.malformedHash, "passwordHash is empty") }
    switch parameters.algorithm {
    case .scrypt:
      return StoredHash(
        scheme: .firebaseScrypt(
          logN: try number("memoryCost", parameters.memoryCost, 1...14),
          r: try number("rounds", parameters.rounds, 1...8), separator: parameters.saltSeparator, keyID: try keyID()),
        salt: salt, hash: hash)
    case .standardScrypt: return try standardScrypt()
    case .bcrypt:
      guard Bcrypt.cost(of: hash) != nil else {
        throw ImportedHashError(
          .malformedHash, "passwordHash must be a bcrypt string ($2a$, $2b$ or $2y$ with a cost of 4 to 15)")
      }
      return StoredHash(scheme: .bcrypt, salt: [], hash: hash)
    case .pbkdfSHA1: return try pbkdf2(.sha1)
    case .pbkdf2SHA256: return try pbkdf2(.sha256)
    case .hmacMD5: return try hmac(.md5)
    case .hmacSHA1: return try hmac(.sha1)
    case .hmacSHA256: return try hmac(.sha256)
    case .hmacSHA512: return try hmac(.sha512)
    case .md5: return try md5()
    case .sha1: return try digest(.sha1)
    case .sha256: return try digest(.sha256)
    case .sha512: return try digest(.sha512)
    case .argon2: return try argon2()
    case .hearth:
      guard let stored = StoredHash(parsing: String(decoding: hash, as: UTF8.self)) else {
        throw ImportedHashError(.malformedHash, "passwordHash must be a string that this server exported")
      }
      return stored
    }
  }

  private func standardScrypt() throws(ImportedHashError) -> StoredHash {
    let n = try number("cpuMemCost", parameters.cpuMemCost, 2...(1 << 17))
    let logN = n.trailingZeroBitCount
    guard n == 1 << logN else { throw ImportedHashError(.parameterOutOfBounds, "cpuMemCost must be a power of two") }
    let r = try number("blockSize", parameters.blockSize, 1...8)
    let p = try number("parallelization", parameters.parallelization, 1...16)
    try expectLength(try number("dkLen", parameters.dkLen, 16...64), "dkLen")
    // A hash that is as strong as the server's own, and in the same format, is stored as one of the server's own.
    if let cost = PasswordCost(logN: logN, r: r, p: p), !cost.isBelowFloor {
      let native = StoredHash(scheme: .native(cost, pepperID: nil), salt: salt, hash: hash)
      if native.isWithinBounds { return native }
    }
    return StoredHash(scheme: .scrypt(logN: logN, r: r, p: p), salt: salt, hash: hash)
  }

  private func pbkdf2(_ function: HashFunction) throws(ImportedHashError) -> StoredHash {
    StoredHash(
      scheme: .pbkdf2(function, iterations: try number("rounds", parameters.rounds, 1...120_000)), salt: salt,
      hash: hash)
  }

  private func hmac(_ function: HashFunction) throws(ImportedHashError) -> StoredHash {
    try expectLength(function.sizeBytes, parameters.algorithm.rawValue)
    return StoredHash(
      scheme: .hmac(function, keyID: try keyID(), order: order(default: .passwordFirst)), salt: salt, hash: hash)
  }

  private func digest(_ function: HashFunction) throws(ImportedHashError) -> StoredHash {
    try expectLength(function.sizeBytes, parameters.algorithm.rawValue)
    guard try number("rounds", parameters.rounds, 1...8_192) == 1 else { throw manyRounds }
    return StoredHash(scheme: .digest(function, order: order(default: .saltFirst)), salt: salt, hash: hash)
  }

  /// Returns the stored hash of an MD5 digest, which the field contains in hexadecimal, as the import API specifies, or
  /// as bytes.
  private func md5() throws(ImportedHashError) -> StoredHash {
    guard (parameters.rounds ?? 0) == 0 else { throw manyRounds }
    let raw = hash.count == 32 ? Hexadecimal.decode(hash) : hash
    guard let raw, raw.count == 16 else {
      throw ImportedHashError(.malformedHash, "passwordHash must be an MD5 hash: 32 hexadecimal digits or 16 bytes")
    }
    return StoredHash(scheme: .digest(.md5, order: order(default: .saltFirst)), salt: salt, hash: raw)
  }

  private func argon2() throws(ImportedHashError) -> StoredHash {
    guard let given = parameters.argon2 else {
      throw ImportedHashError(.missingParameter, "argon2Parameters are missing")
    }
    try expectLength(try number("hashLengthBytes", given.hashLengthBytes, 4...1_024), "hashLengthBytes")
    let lanes = try number("parallelism", given.parallelism, Argon2.lanesRange)
    let argon2 = Argon2(
      variant: given.variant, version: given.version == .v10 ? 16 : 19,
      memoryKiB: try number("memoryCostKib", given.memoryCostKiB, 8 * lanes...Argon2.memoryKiBMax),
      iterations: try number("iterations", given.iterations, Argon2.iterationsRange), lanes: lanes,
      associatedData: given.associatedData)
    guard salt.count >= Argon2.saltBytesMin else {
      throw ImportedHashError(.malformedSalt, "salt must have at least \(Argon2.saltBytesMin) bytes for Argon2")
    }
    return StoredHash(scheme: .argon2(argon2), salt: salt, hash: hash)
  }

  /// The error for several rounds, whose composition is undocumented: the password of such a hash could never be
  /// verified.
  private var manyRounds: ImportedHashError {
    ImportedHashError(
      .unsupportedRounds,
      "\(parameters.algorithm.rawValue) needs rounds = \(parameters.algorithm == .md5 ? 0 : 1)")
  }

  private func keyID() throws(ImportedHashError) -> String {
    guard let id = parameters.signerKeyID, StoredHash.isKeyID(id) else {
      throw ImportedHashError(.missingParameter, "\(parameters.algorithm.rawValue) needs a signerKey")
    }
    return id
  }

  private func order(default order: StoredHash.Order) -> StoredHash.Order {
    switch parameters.order {
    case nil: order
    case .saltAndPassword?: .saltFirst
    case .passwordAndSalt?: .passwordFirst
    }
  }

  private func number(
    _ name: String, _ value: Int64?, _ range: ClosedRange<Int>
  ) throws(ImportedHashError) -> Int {
    guard let value else {
      throw ImportedHashError(.missingParameter, "\(parameters.algorithm.rawValue) needs \(name)")
    }
    guard let number = Int(exactly: value), range.contains(number) else {
      throw ImportedHashError(
        .parameterOutOfBounds, "\(name) must be between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  private func expectLength(_ length: Int, _ name: String) throws(ImportedHashError) {
    guard hash.count == length else {
      throw ImportedHashError(.malformedHash, "passwordHash has \(hash.count) bytes, but \(name) requires \(length)")
    }
  }
}

extension ImportedHash.Argon2Parameters {
  var variant: Argon2.Variant {
    switch hashType {
    case .d: .d
    case .i: .i
    case .id: .id
    }
  }
}

extension StoredHash {
  /// The error for a hash whose parameters are within their limits, but whose salt or length is not.
  var boundsError: ImportedHashError {
    salt.count > Self.saltBytesMax
      ? ImportedHashError(.malformedSalt, "salt must have at most \(Self.saltBytesMax) bytes")
      : ImportedHashError(.malformedHash, "passwordHash has the wrong length for its algorithm")
  }
}
