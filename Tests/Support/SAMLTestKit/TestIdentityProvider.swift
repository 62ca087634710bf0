import COpenSSL
import HearthBytes
import HearthCrypto

/// An identity provider for tests: a key, its certificate, and signatures of any text.
public final class TestIdentityProvider: @unchecked Sendable {
  public let id: String
  /// The certificate in PEM.
  public let certificate: String
  // The key is only read after `init`.
  private let key: OpaquePointer

  /// Creates a provider with a new key.
  public init(_ id: String = "https://idp.example.com/meta") {
    self.id = id
    key = hearth_rsa_generate(2_048)
    let bio = hearth_self_signed_certificate(key, "idp.example.com", [1], 1, 1_700_000_000)
    var bytes: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &bytes)
    certificate = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    BIO_free(bio)
  }

  deinit { EVP_PKEY_free(key) }

  /// A shared provider for tests that need only one, because making keys takes long.
  public static let shared = TestIdentityProvider()
  /// A second provider, which no server trusts.
  public static let untrusted = TestIdentityProvider()

  /// The Base64 of the certificate, as in metadata.
  public var certificateBody: String {
    certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
  }

  func signature(of text: String, by algorithm: TestSignature.Algorithm) -> String {
    let bytes = Array(text.utf8)
    if case .hmacWithCertificate = algorithm {
      return Base64.encode(MessageAuthenticationCode.hmacSHA256(bytes, key: Array(certificate.utf8)) ?? [])
    }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    let hash = algorithm == .sha1 ? EVP_sha1() : EVP_sha256()
    guard EVP_DigestSignInit(context, nil, hash, nil, key) == 1 else { return "" }
    var signature = [UInt8](repeating: 0, count: 256)
    var length = signature.count
    guard EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else { return "" }
    return Base64.encode(signature.prefix(length))
  }
}

/// The options of a test signature.
public struct TestSignature: Sendable {
  public enum Algorithm: Sendable {
    case sha256, sha1
    /// An HMAC with the certificate, which is public, as its key.
    case hmacWithCertificate
    /// An unknown algorithm name.
    case none

    var url: String {
      switch self {
      case .sha256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
      case .sha1: "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
      case .hmacWithCertificate: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"
      case .none: "none"
      }
    }
  }

  public var algorithm: Algorithm = .sha256
  public var canonicalisation = "http://www.w3.org/2001/10/xml-exc-c14n#"
  public var transforms = [
    "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#",
  ]
  /// The reference's URI; nil for the element's own ID.
  public var uri: String?
  /// Additional elements after the signature's value.
  public var keyInfo = ""
  /// Additional references in `SignedInfo`, after the first one.
  public var furtherReference = ""

  public init() {}

  public static let space = "http://www.w3.org/2000/09/xmldsig#"

  /// Returns the `Signature` element for an element with the given canonical text.
  public func element(over text: String, id: String, by provider: TestIdentityProvider) -> String {
    let isOld = algorithm == .sha1
    let digest = isOld ? HashFunction.sha1.digest(text) : Base64.encode(Digest(sha256: text.utf8).bytes)
    let digestURL = isOld ? Self.space + "sha1" : "http://www.w3.org/2001/04/xmlenc#sha256"
    let steps = transforms.map { "<Transform Algorithm=\"\($0)\"></Transform>" }.joined()
    let info =
      "<CanonicalizationMethod Algorithm=\"\(canonicalisation)\"></CanonicalizationMethod>"
      + "<SignatureMethod Algorithm=\"\(algorithm.url)\"></SignatureMethod>"
      + "<Reference URI=\"\(uri ?? "#" + id)\"><Transforms>\(steps)</Transforms>"
      + "<DigestMethod Algorithm=\"\(digestURL)\"></DigestMethod><DigestValue>\(digest)</DigestValue></Reference>"
      + furtherReference
    let signed = "<SignedInfo xmlns=\"\(Self.space)\">\(info)</SignedInfo>"
    let value = provider.signature(of: signed, by: algorithm)
    return "<Signature xmlns=\"\(Self.space)\"><SignedInfo>\(info)</SignedInfo>"
      + "<SignatureValue>\(value)</SignatureValue>\(keyInfo)</Signature>"
  }
}

extension HashFunction {
  fileprivate func digest(_ text: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 20)
    SHA1(Array(text.utf8), text.utf8.count, &bytes)
    return Base64.encode(bytes)
  }
}
