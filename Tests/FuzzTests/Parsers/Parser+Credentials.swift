import HearthBytes
import HearthTree

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthSAML

extension Parser {
  private static let nowSeconds: Int64 = 1_800_000_000
  private static let secret = "0123456789012345678901234567890123456789"

  /// Parsers of tokens, foreign keys, and names of users.
  static let credentialParsers = [
    Parser(name: "token") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = try? TokenReader.read(text)
      _ = ForeignTokenForm(text, projectID: "demo")
      _ = ImportedHash.parts(of: text)
    },
    Parser(name: "claims") { bytes in
      // Signed correctly, so that the content is parsed: the header's line, then the payload.
      let header = bytes.prefix { $0 != UInt8(ascii: "\n") }
      let signed = Base64URL.encode(header) + "." + Base64URL.encode(bytes.dropFirst(header.count + 1))
      guard let secrets = LegacySecrets(active: [secret]),
        let code = MessageAuthenticationCode.hmacSHA256(Array(signed.utf8), key: Array(secret.utf8))
      else { throw Violation(description: "no secrets") }
      let verifier = LegacyTokenVerifier(secrets: secrets)
      guard let credential = try? verifier.verify(signed + "." + Base64URL.encode(code), nowSeconds: nowSeconds) else {
        return
      }
      try require(credential.authority == .user || credential.authority == .databaseSecret, "more than a secret signs")
    },
    Parser(name: "key-set") { bytes in
      _ = try? ForeignKeySet(jwks: bytes)
      _ = try? ForeignKeySet(pems: ["k": String(decoding: bytes, as: UTF8.self)])
    },
    Parser(name: "saml") { bytes in
      // Without a certificate no signature is valid and every response is refused; all content up to that check is
      // parsed.
      let check = SAMLResponseVerifier(
        identityProviderID: "https://idp.example.com", certificates: [], serviceProviderID: "sp",
        consumerURL: "https://sp.example.com/", requestID: "_q")
      try require(
        (try? check.verifiedAssertion(in: bytes, nowSeconds: nowSeconds)) == nil, "an answer that nobody signed")
      _ = try? IdentityProviderMetadata(bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      _ = SAMLCertificate.pem(text)
      if let seconds = SAMLTime.seconds(text) {
        try require(SAMLTime.seconds(SAMLTime.text(seconds)) == seconds, "a moment that is written as another one")
      }
    },
    Parser(name: "names") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let address = EmailAddress.canonical(text) {
        try require(EmailAddress.canonical(address) == address, "a canonical address has another canonical form")
      }
      try? PhoneNumber.check(text)
    },
  ]
}
