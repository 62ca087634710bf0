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

  /// The settings of the issuer for some of its audiences.
  private struct Entry {
    var issuer: TrustedIssuer
    var verifier: ForeignTokenVerifier

    init(_ issuer: TrustedIssuer) {
      self.issuer = issuer
      verifier = ForeignTokenVerifier(issuers: [issuer.issuer], audiences: issuer.audiences)
    }
  }

  let name: String
  let selection: TokenSelection
  let revision: String
  private let entries: [Entry]
  /// The verifier for the audiences of all entries.
  private let verifier: ForeignTokenVerifier
  private let keys: ProviderDocument<ForeignKeySet>
  private let users: SignedInUserLookup?

  /// - Parameter entries: The settings of one issuer, at least one; their audiences differ.
  init(_ entries: [TrustedIssuer], http: any OutboundHTTP) {
    let url = entries[0].issuer
    name = "issuer \(url)"
    selection = TokenSelection(issuers: [url])
    revision = entries.map(\.revision).joined(separator: "\n")
    self.entries = entries.map(Entry.init)
    verifier = ForeignTokenVerifier(issuers: [url], audiences: entries.flatMap(\.audiences))
    let client = ProviderHTTP(http: http)
    let source: ProviderKeySource =
      entries[0].keysURL.map { .keySet(url: $0) } ?? .issuer(ProviderDocument(configurationOf: url, http: client))
    keys = ProviderDocument(source, http: client, staleSeconds: Self.staleSeconds, graceSeconds: Self.graceSeconds)
    users = entries.lazy.compactMap(\.userLookup).first.map { SignedInUserLookup($0, of: url, http: http) }
  }

  func verify(_ question: TokenQuestion) async throws -> TokenAnswer {
    do throws(ForeignTokenError) {
      let claims = try await claims(question)
      guard let entry = entries.first(where: { $0.verifier.acceptsAudience(of: claims) }) else {
        throw ForeignTokenError(.audience, "aud names audiences of different settings")
      }
      return .verified(try token(claims, of: entry.issuer, nowSeconds: question.nowSeconds))
    } catch {
      guard error.code != .unavailable else { throw error }
      return .refused(TokenRefusal(error.code == .expired ? .expired : .invalid, cacheSeconds: Self.refusalSeconds))
    }
  }

  var lookupStatus: UserLookupStatus? { users?.status }

  func lookUpUsers(_ observer: UserLookupObserver) async { await users?.run(observer) }

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
  private func token(
    _ claims: ClaimValue, of issuer: TrustedIssuer, nowSeconds: Int64
  ) throws(ForeignTokenError) -> VerifiedToken {
    guard let subject = claims["sub"]?.string, let json = JSON(parsing: claims.json.utf8),
      let end = claims["exp"]?.seconds, let issuedAt = claims["iat"]?.seconds
    else { throw ForeignTokenError(.malformed, "the claims are incomplete") }
    let signedInAt = claims["auth_time"]?.seconds
    if issuer.requiresAuthTime {
      guard let signedInAt else { throw ForeignTokenError(.malformed, "auth_time is not a time") }
      guard signedInAt <= nowSeconds + TokenLimits.foreignClockSkewSeconds else {
        throw ForeignTokenError(.notYetValid, "auth_time is in the future")
      }
    }
    var token = VerifiedToken(uid: issuer.uidPrefix + subject)
    guard IDTokenClaims.isUID(token.uid) else { throw ForeignTokenError(.subject, "sub does not make a valid uid") }
    // The lookup has the project's own users. To it, users of its tenants would be deleted ones.
    if let users, claims["firebase"]?["tenant"] == nil {
      let signIn = SignedInUsers.SignIn(
        subject: subject, uid: token.uid, signedInAtSeconds: signedInAt ?? issuedAt, tokenEndsAtSeconds: end)
      guard users.accepts(signIn, nowSeconds: nowSeconds) else {
        throw ForeignTokenError(.expired, "the issuer has disabled, deleted or signed out the user")
      }
    }
    token.signInProvider = provider(claims)
    token.tokenClaims = json
    token.databases = issuer.databases
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

extension TrustedIssuer {
  /// A text that differs whenever the settings do.
  fileprivate var revision: String {
    let lists = [audiences, databases ?? []].map { JSON.array($0.map { .string($0) }) }
    let texts = [keysURL, uidPrefix, userLookup?.url, userLookup?.keyFile, userLookup.map { "\($0.intervalSeconds)" }]
    let json: JSON = .array(
      lists + [.bool(databases == nil), .bool(requiresAuthTime)] + texts.map { $0.map { .string($0) } ?? .null })
    return String(decoding: json.text(), as: UTF8.self)
  }
}
