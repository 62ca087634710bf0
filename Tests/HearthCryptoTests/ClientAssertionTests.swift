import Testing

@testable import HearthCrypto

@Suite struct ClientAssertionTests {
  @Test(
    "a client assertion is a token of five minutes, signed by the client's key, with both signature integers at full length"
  )
  func token() throws {
    let credentials = try NodeAuthority(now: 1_800_000_000).credentials
    let key = try #require(P256Key(publicPEM: credentials.certificate))
    let made = try #require(
      ClientAssertion(
        pem: credentials.key, keyID: "KEY1234567", issuer: "TEAM123456", subject: "com.example.web",
        audience: "https://appleid.apple.com"))
    for second: Int64 in 1_800_000_000..<1_800_000_020 {
      let token = try #require(made.text(nowSeconds: second))
      let read = try TokenReader.read(token)
      #expect(read.signature.count == 64 && key.verify(read.signature, of: read.signedBytes) == .accepted)
      #expect(read.algorithm == "ES256" && read.header["kid"]?.string == "KEY1234567")
      #expect(read.payload["iss"]?.string == "TEAM123456" && read.payload["sub"]?.string == "com.example.web")
      #expect(read.payload["aud"]?.string == "https://appleid.apple.com")
      #expect(read.payload["iat"] == .int(second) && read.payload["exp"] == .int(second + 300))
    }
    #expect(made.text(nowSeconds: .max) == nil)
    #expect(!"\(made)".contains("KEY1234567"))
  }

  @Test("keys other than private P-256 keys are refused")
  func otherKeys() throws {
    let credentials = try NodeAuthority(now: 1_800_000_000).credentials
    let rsa = try #require(RSAKey.generate()?.privatePEM())
    for pem in [[], Array("key".utf8), credentials.certificate, rsa, Array(credentials.key.dropLast(60))] {
      #expect(ClientAssertion(pem: pem, keyID: "k", issuer: "i", subject: "s", audience: "a") == nil)
    }
  }
}
