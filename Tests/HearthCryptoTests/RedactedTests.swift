import Testing

@testable import HearthCrypto

@Suite("Redaction")
struct RedactedTests {
  @Test("Values that hold secrets do not print them")
  func printing() throws {
    let pem = String(decoding: TokenForge.keys.entries[0].privatePEM, as: UTF8.self)
    let secrets = [
      TokenForge.secret, String(pem.dropFirst(40).prefix(60)), "\(Array(TokenForge.secret.utf8).prefix(4))",
    ]
    let token = try TokenReader.read(TokenForge.hs256(TokenForge.legacyPayload()))
    let values: [Any] = [
      TokenForge.secrets, TokenForge.keys, TokenForge.front, LegacyTokenMinter(secrets: TokenForge.secrets),
      IDTokenMinter(projectID: "p", keys: TokenForge.keys), LegacyTokenVerifier(secrets: TokenForge.secrets), token,
      TokenForge.adminTokens([TokenForge.adminToken]),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        for secret in secrets + [token.text, TokenForge.adminToken] { #expect(!text.contains(secret)) }
      }
    }
  }
}
