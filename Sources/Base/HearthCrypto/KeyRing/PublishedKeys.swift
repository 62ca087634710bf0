import HearthBytes

/// The public halves of one set of signing keys, in the forms that verifiers fetch. Computed once for a set.
struct PublishedKeys: Sendable {
  /// The certificates of every key that verifies or soon will, newest first.
  let certificates: [(kid: String, pem: String)]
  /// The keys as a JSON Web Key Set.
  let jwks: [UInt8]

  /// Makes the published forms. A key that OpenSSL cannot convert, for want of memory, is left out: verifiers elsewhere
  /// refuse its tokens then.
  init(_ keys: SigningKeys, kind: KeyKind) {
    var certificates: [(kid: String, pem: String)] = []
    var members: [ClaimValue] = []
    for entry in keys.entries {
      // A serial number is positive, and its first bit is the sign.
      let serial = [0x01] + Digest(sha256: entry.id.utf8).bytes.prefix(15)
      guard let numbers = entry.key.numbers(),
        let pem = entry.key.certificate(
          commonName: kind.commonName, serial: serial,
          // A day early, for machines whose clock is behind.
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
