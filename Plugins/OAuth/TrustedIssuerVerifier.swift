import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree

/// A verifier of the ID tokens of one trusted issuer. Its keys are cached, and fetched again for a token with an unknown
/// key.
struct TrustedIssuerVerifier: IssuerTokenVerifier {
  /// The interval in seconds in which a token with an unknown key does not cause another fetch of the keys.
  static let staleSeconds: Int64 = 10
  /// The time in seconds for which known keys are used after their lifetime, while the issuer does not answer.
  static let graceSeconds: Int64 = 21_600
  /// The time in seconds for which the refusal of a token is cached.
  private static let refusalSeconds: Int64 = 10

  let name: String
  let selection: TokenSelection
  private let issuer: TrustedIssuer
  private let verifier: ForeignTokenVerifier
  private let keys: ProviderDocument<ForeignKeySet>

  init(_ issuer: TrustedIssuer, http: any OutboundHTTP) {
    self.issuer = issuer
    name = "issuer \(issuer.issuer)"
    selection = TokenSelection(issuers: [issuer.issuer])
    verifier = ForeignTokenVerifier(issuers: [issuer.issuer], audiences: issuer.audiences)
    let http = ProviderHTTP(http: http)
    let source: ProviderKeySource =
      issuer.keysURL.map { .keySet(url: $0) } ?? .issuer(ProviderDocument(configurationOf: issuer.issuer, http: http))
    keys = ProviderDocument(source, http: http, staleSeconds: Self.staleSeconds, graceSeconds: Self.graceSeconds)
  }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer {
    do throws(ForeignTokenError) {
      return .verified(try token(try await claims(question), nowSeconds: question.nowSeconds))
    } catch {
      guard error.code != .unavailable else { throw error }
      return .refused(TokenRefusal(error.code == .expired ? .expired : .invalid, cacheSeconds: Self.refusalSeconds))
    }
  }

  private func claims(_ question: TokenQuestion) async throws(ForeignTokenError) -> ClaimValue {
    let claims: Result<ClaimValue, ForeignTokenError>
    do throws(SignInRefusal) {
      claims = try await keys.claims(
        of: question.token, by: verifier, nonce: .unchecked, nowSeconds: question.nowSeconds)
    } catch {
      throw ForeignTokenError(.unavailable, "the issuer's keys cannot be fetched")
    }
    return try claims.get()
  }

  /// Returns the token for the server: the claims as they are, and the properties that the server itself depends on.
  private func token(_ claims: ClaimValue, nowSeconds: Int64) throws(ForeignTokenError) -> VerifiedToken {
    guard let subject = claims["sub"]?.string, let json = JSON(parsing: claims.json.utf8),
      let end = claims["exp"]?.seconds, let issuedAt = claims["iat"]?.seconds
    else { throw ForeignTokenError(.malformed, "the claims are incomplete") }
    if issuer.requiresAuthTime {
      guard let signedIn = claims["auth_time"]?.seconds else {
        throw ForeignTokenError(.malformed, "auth_time is not a time")
      }
      guard signedIn <= nowSeconds + TokenLimits.foreignClockSkewSeconds else {
        throw ForeignTokenError(.notYetValid, "auth_time is in the future")
      }
    }
    var token = VerifiedToken(uid: issuer.uidPrefix + subject)
    guard IDTokenClaims.isUID(token.uid) else { throw ForeignTokenError(.subject, "sub does not make a valid uid") }
    token.signInProvider = provider(claims)
    token.tokenClaims = json
    token.issuedAtSeconds = issuedAt
    token.expiresAtSeconds = end
    token.cacheSeconds = max(0, end - nowSeconds)
    return token
  }

  /// Returns the sign-in provider that the token names, as Firebase's tokens do; nil for none.
  private func provider(_ claims: ClaimValue) -> String? {
    guard let name = claims["firebase"]?["sign_in_provider"]?.string, (1...64).contains(name.utf8.count) else {
      return nil
    }
    return name
  }
}
