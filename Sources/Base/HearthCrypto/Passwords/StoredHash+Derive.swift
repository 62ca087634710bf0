extension StoredHash {
  /// Returns the password's hash under this scheme; nil when it cannot be computed because a key is missing or the
  /// library refuses. `signerKey` returns the key with an ID for an imported hash.
  func derive(
    _ password: borrowing WipedBytes, pepper: PasswordHash.Pepper?, signerKey: (String) -> [UInt8]?
  ) -> [UInt8]? {
    switch scheme {
    case .native(let cost, let pepperID):
      let derived = Scrypt.derive(
        password, salt: salt, logN: cost.logN, r: cost.r, p: cost.p, sizeBytes: hash.count)
      guard let pepperID else { return derived }
      guard let derived, let pepper, pepper.id == pepperID else { return nil }
      return HashFunction.sha256.hmac(derived, key: pepper.key)
    case .firebaseScrypt(let logN, let r, let separator, let keyID):
      guard let signerKey = signerKey(keyID) else { return nil }
      return Scrypt.firebase(password, salt: salt + separator, logN: logN, r: r, signerKey: signerKey)
    case .scrypt(let logN, let r, let p):
      return Scrypt.derive(password, salt: salt, logN: logN, r: r, p: p, sizeBytes: hash.count)
    case .bcrypt:
      return Bcrypt.hash(password, setting: hash)
    case .pbkdf2(let function, let iterations):
      return function.pbkdf2(password, salt: salt, iterations: iterations, sizeBytes: hash.count)
    case .hmac(let function, let keyID, let order):
      guard let signerKey = signerKey(keyID) else { return nil }
      return joined(password, order).withBytes { function.hmac($0, key: signerKey) }
    case .digest(let function, let order):
      return joined(password, order).withBytes { function.digest($0) }
    case .argon2(let argon2):
      return argon2.derive(password, salt: salt, sizeBytes: hash.count)
    }
  }

  private func joined(_ password: borrowing WipedBytes, _ order: Order) -> WipedBytes {
    password.withBytes { password in
      switch order {
      case .saltFirst: WipedBytes(joining: salt, password)
      case .passwordFirst: WipedBytes(joining: password, salt)
      }
    }
  }
}
