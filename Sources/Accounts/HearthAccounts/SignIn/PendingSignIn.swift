import HearthCrypto
import HearthTree

/// The stored state of a sign-in that awaits its second factor.
struct PendingSignIn: Sendable {
  /// The provider's id, as tokens show it.
  var provider: String
  /// The value of ``SignInContext/method``.
  var method: String
  var claims: [ClaimValue.Member]
  /// The value of ``SignInContext/attributes``.
  var attributes: String?
  private var generation: Int64
  private var passwordUpdatedAtMilliseconds: Int64?

  init(_ authenticated: AuthenticatedUser) {
    let user = authenticated.user
    provider = authenticated.signIn.provider
    method = authenticated.signIn.method
    claims = authenticated.claims
    attributes = authenticated.signIn.attributes
    generation = user.cutoff.generation
    passwordUpdatedAtMilliseconds = user.password?.updatedAtMilliseconds
  }

  init?(_ text: String?) {
    guard let value = text.flatMap({ try? ClaimValue(json: $0) }), let provider = value["provider"]?.string,
      let claims = value["claims"]?.members, case .int(let generation)? = value["generation"]
    else { return nil }
    self.provider = provider
    // Tickets of the previous version have no method.
    method = value["method"]?.string ?? provider
    self.claims = claims
    attributes = value["attributes"]?.string
    self.generation = generation
    if case .int(let time)? = value["passwordUpdatedAt"] { passwordUpdatedAtMilliseconds = time }
  }

  var text: String {
    var members = [
      ClaimValue.Member("provider", .string(provider)), ClaimValue.Member("method", .string(method)),
      ClaimValue.Member("claims", .object(claims)),
      ClaimValue.Member("generation", .int(generation)),
    ]
    if let attributes { members.append(ClaimValue.Member("attributes", .string(attributes))) }
    if let time = passwordUpdatedAtMilliseconds { members.append(ClaimValue.Member("passwordUpdatedAt", .int(time))) }
    return ClaimValue.object(members).json
  }

  /// Returns true when the first factor is still valid.
  func isCurrent(_ user: UserRecord) -> Bool {
    user.cutoff.generation == generation
      && user.password?.updatedAtMilliseconds == passwordUpdatedAtMilliseconds
  }
}
