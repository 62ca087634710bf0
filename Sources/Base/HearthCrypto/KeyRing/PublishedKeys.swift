import HearthBytes

/// The public keys of one set of signing keys, in the formats that verifiers fetch. Computed once for each set.
struct PublishedKeys: Sendable {
  /// The certificates of all keys that verify or will soon sign, newest first.
  let certificates: [(kid: String, pem: String)]
  /// The keys as a JSON Web Key Set.
  let jwks: [UInt8]

  /// Creates the published formats. A key that OpenSSL cannot convert because memory is exhausted is left out; other
  /// verifiers then refuse its tokens.
  init(_ keys: SigningKeys, kind: KeyKind) {
    var certificates: [(kid: String, pem: String)] = []
    var members: [ClaimValue] = []
    for entry in keys.entries {
      // A serial number must be positive, so the sign bit is cleared.
      let serial = [0x01] + Digest(sha256: entry.id.utf8).bytes.prefix(15)
      guard let numbers = entry.key.numbers(),
        let pem = entry.key.certificate(
          commonName: kind.commonName, serial: serial,
          // Valid from a day earlier, for machines whose clocks are behind.
          notBeforeSeconds: max(0, (entry.createdAtSeconds ?? 0) - 86_400))
      else { continue }
      certificates.append((entry.id, pem))
      members.append(
        .object([
          .init("kty", .string("RSA")), .init("use", .string("sig")), .init("alg", .string("RS256")),
          .init("kid", .string(entry.id)), .init("n", .string(Base64URL.encode(numbers.modulus))),
          .init("e", .string(Base64URL.encode(numbers.exponent))),
        ]))
    }
    self.certificates = certificates
    jwks = Array(ClaimValue.object([.init("keys", .array(members))]).json.utf8)
  }
}
