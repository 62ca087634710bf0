import COpenSSL
import HearthBytes

@testable import HearthCrypto

/// A maker of tokens with any header and payload, with valid or invalid signatures, like those of attackers and
/// defective libraries.
enum TokenForge {
  static let secret = "0123456789abcdef0123456789abcdef01234567"
  static let otherSecret = "abcdefghijabcdefghijabcdefghijabcdefghij"
  static let secrets = LegacySecrets(active: [secret])!  // well formed, as written above

  static let projectID = "demo-forge"

  /// Shared key pairs of all tests, because making one takes 100 ms.
  static let keys = try! SigningKeys.generate(random: .system)  // a test machine has randomness
  static let otherKeys = try! SigningKeys.generate(random: .system)  // the same
  static var key: RSAKey { keys.entries[0].key }

  static func segment(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }

  static func hs256(
    _ payload: String, header: String = #"{"typ":"JWT","alg":"HS256"}"#, key: [UInt8] = Array(secret.utf8)
  ) -> String {
    let signed = segment(header) + "." + segment(payload)
    return signed + "." + Base64URL.encode(MessageAuthenticationCode.hmacSHA256(Array(signed.utf8), key: key) ?? [])
  }

  static func rs256(_ payload: String, header: String? = nil, key: RSAKey = key) -> String {
    let header = header ?? #"{"alg":"RS256","kid":"\#(keys.signingKeyID)","typ":"JWT"}"#
    let signed = segment(header) + "." + segment(payload)
    return signed + "." + Base64URL.encode(sign(Array(signed.utf8), key: key))
  }

  static func unsigned(_ payload: String, header: String = #"{"alg":"none","typ":"JWT"}"#) -> String {
    segment(header) + "." + segment(payload) + "."
  }

  /// Returns an RS256 signature over any bytes, independent of the minter.
  static func sign(_ bytes: [UInt8], key: RSAKey) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 1_024)
    var length = signature.count
    precondition(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.key) == 1)
    precondition(EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1)
    return Array(signature[..<length])
  }

  static let now: Int64 = 1_800_000_000

  /// Returns the payload of a valid ID token at `now`, with members replaced (nil removes one); values are JSON texts.
  static func idPayload(_ changes: [String: String?] = [:]) -> String {
    var members: [String: String] = [
      "iss": "\"https://securetoken.google.com/\(projectID)\"", "aud": "\"\(projectID)\"", "sub": "\"alice\"",
      "user_id": "\"alice\"", "auth_time": "\(now - 10)", "iat": "\(now - 10)", "exp": "\(now + 3_590)",
      "email": "\"alice@example.com\"", "email_verified": "true",
      "firebase": #"{"identities":{"google.com":["42"]},"sign_in_provider":"google.com"}"#,
    ]
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// Returns the payload of a valid legacy token at `now`.
  static func legacyPayload(_ changes: [String: String?] = [:]) -> String {
    var members: [String: String] = ["v": "0", "iat": "\(now - 10)", "d": #"{"uid":"alice","role":"ed"}"#]
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// A verifier with every ordinary kind of credential enabled.
  static let front = CredentialVerifier(
    legacyTokens: LegacyTokenVerifier(secrets: secrets), legacySecrets: secrets,
    idTokens: IDTokenVerifier(projectID: projectID, keys: keys), adminTokens: adminTokens([adminToken]))
  private static let sealingText = Base64URL.encode((0..<32).map { UInt8($0) })

  /// Returns access tokens that are sealed with the same key each time.
  static func adminTokens(_ permanent: [String], projectID: String = projectID) -> AdminTokens {
    AdminTokens(permanent: permanent, key: SealingKey(text: sealingText)!, projectID: projectID)
  }
  static let adminToken = AdminTokens.prefix + "0123456789012345678901234567890123456789012"

  /// Returns the error code for a credential, or nil when it is accepted.
  static func refusal(
    _ credential: String, nowSeconds: Int64 = now, front: CredentialVerifier = front
  ) -> CredentialError.Code? {
    do {
      _ = try front.verify(credential, nowSeconds: nowSeconds, isFromLoopback: true)
      return nil
    } catch {
      return error.code
    }
  }

  static func object(_ json: String) -> ClaimValue { (try? ClaimValue(json: json)) ?? .null }
}
