import HearthTree

/// The secret of an authenticator app that is being enrolled. Its description omits the secret.
public final class TOTPSecret: Sendable, CustomStringConvertible, CustomReflectable {
  private let secretKey: String
  private let hashingAlgorithm: String
  private let codeLength: Int64
  private let periodSeconds: Int64
  let sessionInfo: String

  /// The secret in a response; nil when a member is missing.
  init?(_ json: JSON) {
    guard let secretKey = json["sharedSecretKey"]?.string, !secretKey.isEmpty, secretKey.utf8.count <= 1_024,
      let sessionInfo = json["sessionInfo"]?.string, !sessionInfo.isEmpty,
      sessionInfo.utf8.count <= IdentityService.tokenBytesMax
    else { return nil }
    self.secretKey = secretKey
    self.sessionInfo = sessionInfo
    hashingAlgorithm = json["hashingAlgorithm"]?.string ?? "SHA1"
    codeLength = json["verificationCodeLength"]?.int ?? 6
    periodSeconds = json["periodSec"]?.int ?? 30
  }

  /// Returns the secret in base 32, for users that type it.
  public func sharedSecretKey() -> String { secretKey }

  /// Returns the `otpauth:` URL that an authenticator app reads from a QR code.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    let (issuer, account) = (FormEncoding.escape(issuer), FormEncoding.escape(accountName))
    return "otpauth://totp/\(issuer):\(account)?secret=\(FormEncoding.escape(secretKey))&issuer=\(issuer)"
      + "&algorithm=\(FormEncoding.escape(hashingAlgorithm))&digits=\(codeLength)&period=\(periodSeconds)"
  }

  public var description: String { "secret of an authenticator app" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
