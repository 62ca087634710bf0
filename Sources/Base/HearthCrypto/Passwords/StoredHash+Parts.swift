import HearthBytes

extension StoredHash {
  /// The hash as the parts of the account import API; an import of them gives an equal value.
  var parts: ImportedHash.Parts {
    var hash = hash
    var parameters: ImportedHash.Parameters
    switch scheme {
    case .native(_, pepperID: .some):
      // The import API has no pepper, so the hash keeps the server's own format.
      return ImportedHash.Parts(hash: Array(text.utf8), salt: [], parameters: .init(.hearth))
    case .native(let cost, pepperID: nil):
      // The import API accepts no cost above 2^17. A cost below the minimum, as used in development, must not become a
      // valid import.
      guard cost.logN <= 17, cost.r <= 8, !cost.isBelowFloor else {
        return ImportedHash.Parts(hash: Array(text.utf8), salt: [], parameters: .init(.hearth))
      }
      parameters = Self.standardScrypt(logN: cost.logN, r: cost.r, p: cost.p, sizeBytes: hash.count)
    case .scrypt(let logN, let r, let p):
      parameters = Self.standardScrypt(logN: logN, r: r, p: p, sizeBytes: hash.count)
    case .firebaseScrypt(let logN, let r, let separator, let keyID):
      parameters = .init(.scrypt, signerKeyID: keyID)
      parameters.memoryCost = Int64(logN)
      parameters.rounds = Int64(r)
      parameters.saltSeparator = separator
    case .bcrypt:
      parameters = .init(.bcrypt)
    case .pbkdf2(let function, let iterations):
      parameters = .init(function == .sha1 ? .pbkdfSHA1 : .pbkdf2SHA256)
      parameters.rounds = Int64(iterations)
    case .hmac(let function, let keyID, let order):
      parameters = .init(function.hmacAlgorithm, signerKeyID: keyID)
      parameters.order = order.imported
    case .digest(let function, let order):
      parameters = .init(function.digestAlgorithm)
      parameters.rounds = function == .md5 ? 0 : 1
      parameters.order = order.imported
      if function == .md5 { hash = Hexadecimal.encode(hash) }
    case .argon2(let argon2):
      parameters = .init(.argon2)
      parameters.argon2 = argon2.imported(sizeBytes: hash.count)
    }
    return ImportedHash.Parts(hash: hash, salt: salt, parameters: parameters)
  }

  private static func standardScrypt(logN: Int, r: Int, p: Int, sizeBytes: Int) -> ImportedHash.Parameters {
    var parameters = ImportedHash.Parameters(.standardScrypt)
    parameters.cpuMemCost = 1 << Int64(logN)
    parameters.blockSize = Int64(r)
    parameters.parallelization = Int64(p)
    parameters.dkLen = Int64(sizeBytes)
    return parameters
  }
}

extension StoredHash.Order {
  fileprivate var imported: ImportedHash.Order { self == .saltFirst ? .saltAndPassword : .passwordAndSalt }
}

extension HashFunction {
  fileprivate var hmacAlgorithm: ImportedHash.Algorithm {
    switch self {
    case .md5: .hmacMD5
    case .sha1: .hmacSHA1
    case .sha256: .hmacSHA256
    case .sha512: .hmacSHA512
    }
  }

  fileprivate var digestAlgorithm: ImportedHash.Algorithm {
    switch self {
    case .md5: .md5
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }
}

extension Argon2 {
  fileprivate func imported(sizeBytes: Int) -> ImportedHash.Argon2Parameters {
    let type: ImportedHash.Argon2Parameters.HashType =
      switch variant {
      case .d: .d
      case .i: .i
      case .id: .id
      }
    var parameters = ImportedHash.Argon2Parameters(
      hashType: type, hashLengthBytes: Int64(sizeBytes), parallelism: Int64(lanes), iterations: Int64(iterations),
      memoryCostKiB: Int64(memoryKiB))
    parameters.version = version == 16 ? .v10 : .v13
    parameters.associatedData = associatedData
    return parameters
  }
}
