import HearthBytes

/// The format of a credential that this server did not issue, before any verification.
public enum ForeignTokenForm: Sendable, Equatable {
  /// A JSON Web Token with its issuer; the issuer is empty when the token names none.
  case jwt(issuer: String)
  /// Any other text.
  case opaque

  /// Classifies a credential that none of the server's own verifiers accepts. nil for one that must not be passed to
  /// another verifier: it is too long, has other characters than visible ASCII, is unsigned, or has the format of the
  /// server's own credentials, valid or not.
  ///
  /// - Parameters:
  /// - projectID: The project whose tokens are the server's own.
  /// - trustedIssuers: Issuers whose tokens are not the server's own even when they name its project: the server's keys
  ///   did not sign the credential, and another server may have the same project.
  public init?(_ text: String, projectID: String, trustedIssuers: [String] = []) {
    let bytes = Array(text.utf8)
    guard (1...TokenLimits.tokenBytesMax).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    guard !text.utf8.starts(with: Self.ownPrefix.utf8) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count == 1 {
      guard !Self.isOwnOpaque(text) else { return nil }
      self = .opaque
    } else if let header = Self.object(parts[0]), header["alg"] != nil || header["enc"] != nil {
      // A token of three parts is signed. One of five parts is encrypted, which the server's own tokens never are.
      if parts.count == 5 {
        self = .opaque
        return
      }
      guard parts.count == 3, let payload = Self.object(parts[1]), !parts[2].isEmpty,
        !Self.isOwn(header: header, payload, projectID: projectID, trustedIssuers: trustedIssuers)
      else { return nil }
      self = .jwt(issuer: payload["iss"]?.string ?? "")
    } else {
      // A text that begins like one of the server's own tokens may be an incomplete one.
      guard !text.utf8.starts(with: "eyJ".utf8) else { return nil }
      self = .opaque
    }
  }

  /// The prefix of the server's access tokens and refresh tokens.
  private static let ownPrefix = "hearth_"

  private static func object(_ part: ArraySlice<UInt8>) -> ClaimValue? {
    guard let json = Base64URL.decode(part), let value = try? ClaimValue(json: json), value.members != nil else {
      return nil
    }
    return value
  }

  /// Returns true for the format of database secrets, current or former, and for the fixed text that emulator clients
  /// send.
  private static func isOwnOpaque(_ text: String) -> Bool {
    DeveloperCredentials().isOwner(text) || LegacySecrets.isWellFormed(text)
  }

  private static func isOwn(
    header: ClaimValue, _ payload: ClaimValue, projectID: String, trustedIssuers: [String]
  ) -> Bool {
    guard let algorithm = header["alg"]?.string, algorithm.lowercased() != "none" else { return true }
    let issuer = payload["iss"]?.string
    // Tokens in the legacy format have no issuer, and custom tokens are for this server.
    if algorithm.hasSameBytes(as: "HS256"), header["kid"] == nil, issuer == nil { return true }
    if payload["aud"] == .string(UnverifiedToken.customTokenAudience) { return true }
    guard let issuer, !trustedIssuers.contains(where: issuer.hasSameBytes(as:)) else { return false }
    return [UnverifiedToken.idTokenIssuerPrefix, UnverifiedToken.sessionCookieIssuerPrefix].contains {
      issuer.hasSameBytes(as: $0 + projectID)
    }
  }
}
