import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthTree

/// The algorithm and parameters of an import's password hashes, as the request states them; with the key, which is
/// stored apart.
struct HashParameters: Sendable {
  var parameters: ImportedHash.Parameters
  /// The key of `SCRYPT` and `HMAC_…`.
  var signerKey: SignerKey?

  /// Reads the parameters; nil when the request names no algorithm.
  init?(_ call: IdentityCall, secret: [UInt8]) throws(AccountError) {
    guard let name = try call.text("hashAlgorithm"), !name.isEmpty else { return nil }
    guard let algorithm = ImportedHash.Algorithm(rawValue: name) else {
      let known = ImportedHash.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw AccountError(.invalidHashAlgorithm, "the algorithms are \(known)")
    }
    if let bytes = try Self.bytes("signerKey", of: call), !bytes.isEmpty {
      guard bytes.count <= SignerKey.sizeBytesMax else { throw AccountError(.invalidArgument, "signerKey is too long") }
      signerKey = SignerKey(bytes, secret: secret)
    }
    guard signerKey != nil || !Self.needsKey(algorithm) else {
      throw AccountError(.missingHashParameters, "\(name) needs signerKey")
    }
    parameters = ImportedHash.Parameters(algorithm, signerKeyID: signerKey?.id)
    parameters.saltSeparator = try Self.bytes("saltSeparator", of: call) ?? []
    parameters.rounds = try call.int("rounds")
    // An absent parameter is 0, as in Firebase Authentication.
    if let range = Self.rounds(of: algorithm), !range.contains(parameters.rounds ?? 0) {
      throw AccountError(.invalidHashRounds, "rounds of \(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
    parameters.memoryCost = try call.int("memoryCost")
    parameters.cpuMemCost = try call.int("cpuMemCost")
    parameters.parallelization = try call.int("parallelization")
    parameters.blockSize = try call.int("blockSize")
    parameters.dkLen = try call.int("dkLen")
    if let order = try call.text("passwordHashOrder"), order != "UNSPECIFIED_ORDER" {
      guard let order = ImportedHash.Order(rawValue: order) else {
        throw AccountError(.invalidArgument, "passwordHashOrder must be SALT_AND_PASSWORD or PASSWORD_AND_SALT")
      }
      parameters.order = order
    }
    if let argon2 = try call.object("argon2Parameters") { parameters.argon2 = try Self.argon2(call.with(argon2)) }
  }

  /// The valid `rounds` of the import interface; `nil` for algorithms without them. Another number refuses the whole
  /// request.
  private static func rounds(of algorithm: ImportedHash.Algorithm) -> ClosedRange<Int64>? {
    switch algorithm {
    case .md5: 0...8_192
    case .sha1, .sha256, .sha512: 1...8_192
    case .pbkdfSHA1, .pbkdf2SHA256: 1...120_000
    case .scrypt: 1...8
    case .hmacMD5, .hmacSHA1, .hmacSHA256, .hmacSHA512, .standardScrypt, .bcrypt, .argon2, .hearth: nil
    }
  }

  private static func needsKey(_ algorithm: ImportedHash.Algorithm) -> Bool {
    switch algorithm {
    case .scrypt, .hmacMD5, .hmacSHA1, .hmacSHA256, .hmacSHA512: true
    case .standardScrypt, .bcrypt, .pbkdfSHA1, .pbkdf2SHA256, .md5, .sha1, .sha256, .sha512, .argon2, .hearth: false
    }
  }

  private static func argon2(_ call: IdentityCall) throws(AccountError) -> ImportedHash.Argon2Parameters {
    guard let type = try call.text("hashType").flatMap(ImportedHash.Argon2Parameters.HashType.init),
      let length = try call.int("hashLengthBytes"), let parallelism = try call.int("parallelism"),
      let iterations = try call.int("iterations"), let memory = try call.int("memoryCostKib")
    else {
      throw AccountError(
        .missingHashParameters,
        "argon2Parameters needs hashType, hashLengthBytes, parallelism, iterations and memoryCostKib")
    }
    var parameters = ImportedHash.Argon2Parameters(
      hashType: type, hashLengthBytes: length, parallelism: parallelism, iterations: iterations, memoryCostKiB: memory)
    if let version = try call.text("version") {
      guard let version = ImportedHash.Argon2Parameters.Version(rawValue: version) else {
        throw AccountError(.invalidArgument, "version of Argon2 must be VERSION_10 or VERSION_13")
      }
      parameters.version = version
    }
    parameters.associatedData = try bytes("associatedData", of: call) ?? []
    return parameters
  }

  /// Reads Base64 in either alphabet, padded or not.
  static func bytes(_ name: String, of call: IdentityCall) throws(AccountError) -> [UInt8]? {
    guard let text = try call.text(name) else { return nil }
    guard let bytes = Base64.decodeLenient(text.utf8) else {
      throw AccountError(.invalidArgument, "\(name) is not base64")
    }
    return bytes
  }
}
