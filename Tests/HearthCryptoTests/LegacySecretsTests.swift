import Testing

@testable import HearthCrypto

@Suite("Legacy secrets")
struct LegacySecretsTests {
  @Test("Secrets are 40 letters and digits")
  func secretForm() throws {
    let secret = try LegacySecrets.generate(random: .system)
    #expect(secret.utf8.count == 40)
    #expect(LegacySecrets(active: [secret]) != nil)
    for bad in [
      [], [""], [secret + "a"], [String(secret.dropLast())], [String(secret.dropLast()) + "é"],
      [String(secret.dropLast()) + "-"], [secret, secret, secret, secret],
    ] {
      #expect(LegacySecrets(active: bad) == nil)
    }
  }

  @Test("Only a complete secret is recognized")
  func containment() {
    #expect(TokenForge.secrets.contains(TokenForge.secret))
    for text in [
      "", TokenForge.secret + "0", String(TokenForge.secret.dropLast()), TokenForge.otherSecret,
      TokenForge.secret.uppercased(), " " + TokenForge.secret,
    ] {
      #expect(!TokenForge.secrets.contains(text))
    }
  }
}
