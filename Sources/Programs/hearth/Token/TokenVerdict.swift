import HearthCrypto
import HearthTree

/// The content of a token, and the verdict of a data folder's keys on it.
struct TokenVerdict {
  /// The parts of a signed token; nil for a secret or another opaque text.
  var parts: UnverifiedToken?
  /// The reason of a refusal; nil when the keys accept the token.
  var refusal: String?
  /// The `auth` of the rules; nil for none.
  var auth: ClaimValue?
  var isAdministrator = false
  var expiresAtSeconds: Int64?
  /// The uid; nil for tokens without one.
  var uid: String?
  /// The verifier of a token of another issuer; nil for the server's own tokens.
  var verifier: String?
  /// The databases that such a token opens; nil for all.
  var databases: [String]?

  /// - Parameter accounts: The service accounts whose custom tokens are accepted beside the server's own.
  init(
    _ text: String, ring: KeyRing, accounts: [(email: String, publicKeys: [String: String])], nowSeconds: Int64
  ) {
    if text.utf8.contains(UInt8(ascii: ".")) { parts = try? TokenReader.read(text) }
    switch parts?.kind {
    case .custom: applyCustom(text, ring, accounts, nowSeconds)
    case .sessionCookie:
      apply { () throws(CredentialError) in try ring.verifySessionCookie(text, nowSeconds: nowSeconds) }
    default:
      apply { () throws(CredentialError) in try ring.verifier.verify(text, nowSeconds: nowSeconds) }
    }
  }

  var kind: String {
    switch parts?.kind {
    case .legacy: "legacy token"
    case .custom: "custom token"
    case .id: "ID token"
    case .sessionCookie: "session cookie"
    case .unsigned: "unsigned token"
    case .unsupported: "token of another kind"
    case nil: "opaque"
    }
  }

  var isValid: Bool { refusal == nil }

  private mutating func apply(_ verify: () throws(CredentialError) -> VerifiedCredential) {
    do {
      let credential = try verify()
      auth = credential.authPayload
      isAdministrator = credential.authority.bypassesRules
      expiresAtSeconds = credential.expiresAtSeconds
      uid = credential.uid
    } catch {
      refusal = "\(error)"
    }
  }

  /// Applies the server's answer about a token that the keys of the folder did not sign.
  mutating func apply(_ standing: JSON) {
    guard let verifier = standing["verifier"]?.string else { return }
    self.verifier = verifier
    databases = standing["databases"]?.array?.compactMap(\.string)
    refusal = standing["standing"]?.string == "good" ? nil : "\(verifier): \(standing["reason"]?.string ?? "refused")"
    uid = standing["uid"]?.string
    expiresAtSeconds = standing["expiresAt"]?.int
    auth = standing["auth"].flatMap { try? ClaimValue(json: $0.text()) }
  }

  private mutating func applyCustom(
    _ text: String, _ ring: KeyRing, _ accounts: [(email: String, publicKeys: [String: String])], _ nowSeconds: Int64
  ) {
    do {
      let token = try ring.customTokenVerifier(accounts: accounts).verify(text, nowSeconds: nowSeconds)
      uid = token.uid
      expiresAtSeconds = parts?.payload["exp"]?.seconds
    } catch {
      refusal = "\(error)"
    }
  }

  func json() -> JSON {
    var members: JSON = ["valid": .bool(isValid), "kind": .string(kind)]
    if let refusal { members["reason"] = .string(refusal) }
    if let verifier { members["verifier"] = .string(verifier) }
    if let databases { members["databases"] = .array(databases.map { .string($0) }) }
    if let uid { members["uid"] = .string(uid) }
    if let expiresAtSeconds { members["expiresAt"] = .int(expiresAtSeconds) }
    members["administrator"] = .bool(isAdministrator)
    for (name, value) in [("header", parts?.header), ("payload", parts?.payload), ("auth", auth)] {
      if let value, let json = JSON(parsing: value.json.utf8) { members[name] = json }
    }
    return members
  }
}
