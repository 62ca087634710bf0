import HearthBytes
import HearthCrypto
import HearthTree

/// The browser's description of its request (`CollectedClientData`) to the authenticator, which signs its hash.
struct ClientData: Sendable {
  enum Ceremony: String, Sendable {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  let hash: Digest
  private let json: JSON

  init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard bytes.count <= WebAuthnLimits.clientDataBytesMax else {
      throw WebAuthnError(.malformed, "clientDataJSON is longer than \(WebAuthnLimits.clientDataBytesMax) bytes.")
    }
    var limits = JSONLimits.standard
    limits.nestingMax = 8
    guard let json = JSON(parsing: bytes, limits: limits), json.members != nil else {
      throw WebAuthnError(.malformed, "clientDataJSON is not a JSON object.")
    }
    self.json = json
    hash = Digest(sha256: bytes)
  }

  /// The answered challenge; nil when it has none.
  var challenge: [UInt8]? { json["challenge"]?.string.flatMap { Base64URL.decode(Array($0.utf8)) } }

  /// Checks every member.
  func check(_ ceremony: Ceremony, challenge: [UInt8], origins: AllowedOrigins) throws(WebAuthnError) {
    guard json["type"]?.string == ceremony.rawValue else {
      throw WebAuthnError(.type, "The type of clientDataJSON must be \(ceremony.rawValue).")
    }
    guard let shown = self.challenge, ConstantTime.equal(shown, challenge) else {
      throw WebAuthnError(.challenge, "The challenge is not the issued one.")
    }
    guard let origin = json["origin"]?.string, origins.allows(origin) else {
      throw WebAuthnError(
        .origin, "The page's origin is not allowed to use passkeys. Add it to signIn.passkey.origins.")
    }
    // A page of another site that embeds the app's could trick users into clicks that they do not see.
    switch json["crossOrigin"] {
    case nil, .bool(false)?: break
    default: throw WebAuthnError(.crossOrigin, "The page was in a frame of another site.")
    }
    guard json["topOrigin"] == nil else {
      throw WebAuthnError(.crossOrigin, "The page was in a frame of another site.")
    }
  }
}

/// The origins of pages and apps that may use a relying party's keys.
public struct AllowedOrigins: Sendable, Equatable {
  /// The allowed origins: `https://app.example.com`, or `android:apk-key-hash:…`.
  public var exact: Set<String>
  /// True when any port of `localhost` is allowed, over http and https: for development.
  public var allowsLocalhost: Bool

  /// Allows exactly these origins.
  public init(exact: Set<String>, allowsLocalhost: Bool) {
    self.exact = exact
    self.allowsLocalhost = allowsLocalhost
  }

  func allows(_ origin: String) -> Bool {
    if exact.contains(origin) { return true }
    guard allowsLocalhost else { return false }
    for scheme in ["http://localhost", "https://localhost"] where origin.hasPrefix(scheme) {
      let rest = origin.utf8.dropFirst(scheme.utf8.count)
      guard let colon = rest.first else { return true }
      let port = rest.dropFirst()
      return colon == UInt8(ascii: ":") && (1...5).contains(port.count)
        && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    return false
  }
}
