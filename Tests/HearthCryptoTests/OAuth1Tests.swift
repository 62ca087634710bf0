import HearthBytes
import Testing

@testable import HearthCrypto

@Suite("OAuth 1 signatures")
struct OAuth1Tests {
  @Test("The worked example of Twitter's documentation")
  func published() {
    let header = OAuth1.authorization(
      method: "post", url: "https://api.twitter.com/1.1/statuses/update.json",
      parameters: [("status", "Hello Ladies + Gentlemen, a signed OAuth request!"), ("include_entities", "true")],
      consumerKey: "xvz1evFS4wEEPTGEFPHBog", consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
      token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
      tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
      nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", timestamp: 1_318_622_958)
    #expect(
      header == """
        OAuth oauth_consumer_key="xvz1evFS4wEEPTGEFPHBog", oauth_nonce="kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", \
        oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D", oauth_signature_method="HMAC-SHA1", \
        oauth_timestamp="1318622958", oauth_token="370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", \
        oauth_version="1.0"
        """)
  }

  @Test("The base string and signature of RFC 5849's first example")
  func rfc() {
    let base = OAuth1.baseString(
      method: "GET", url: "http://photos.example.net/photos",
      parameters: [
        ("file", "vacation.jpg"), ("size", "original"), ("oauth_consumer_key", "dpf43f3p2l4k3l03"),
        ("oauth_token", "nnch734d00sl2jdk"), ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", "137131202"), ("oauth_nonce", "chapoH"),
      ])
    let signature = HashFunction.sha1.hmac(Array(base.utf8), key: Array("kd94hf93k423kf44&pfkkdhi9sl3r4s00".utf8)) ?? []
    #expect(Base64.encode(signature) == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
  }

  @Test("Parameters are encoded before they are sorted, equal names by value")
  func sorting() {
    let base = OAuth1.baseString(
      method: "GET", url: "https://a.example/x",
      parameters: [("b", "2"), ("a", "é&="), ("b", "1"), ("a b", "~-._"), ("B", "")])
    let pairs = "B=&a=%C3%A9%26%3D&a%20b=~-._&b=1&b=2"
    #expect(base == "GET&https%3A%2F%2Fa.example%2Fx&" + OAuth1.percentEncoded(pairs))
  }

  @Test("Without a token the token secret's part of the signing key is empty")
  func noToken() {
    let header = OAuth1.authorization(
      method: "GET", url: "https://a.example/x", consumerKey: "k\"", consumerSecret: "s", token: nil, tokenSecret: nil,
      nonce: "n", timestamp: 1)
    #expect(header.contains(#"oauth_consumer_key="k%22""#) && !header.contains("oauth_token"))
    #expect(header.contains("oauth_signature=\""))
  }
}
