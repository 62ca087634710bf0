import HearthCrypto
import HearthTree

/// A sign-in whose second factor is awaited: what its ticket has to remember.
struct PendingSignIn: Sendable {
  /// As tokens show it.
  var provider: String
  /// What ``SignInWay/method`` is.
  var method: String
  var claims: [ClaimValue.Member]
  /// What ``SignInWay/attributes`` is.
  var attributes: String?
  private var generation: Int64
  private var passwordUpdatedAtMilliseconds: Int64?

  init(_ proven: ProvenUser) {
    let user = proven.user
    provider = proven.way.provider
    method = proven.way.method
    claims = proven.claims
    attributes = proven.way.attributes
    generation = user.border.generation
    passwordUpdatedAtMilliseconds = user.password?.updatedAtMilliseconds
  }

  init?(_ text: String?) {
    guard let value = text.flatMap({ try? ClaimValue(json: $0) }), let provider = value["provider"]?.string,
      let claims = value["claims"]?.members, case .int(let generation)? = value["generation"]
    else { return nil }
    self.provider = provider
    // The version before kept none.
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

  /// Returns true when the first factor still says what it said.
  func isCurrent(_ user: UserRecord) -> Bool {
    user.border.generation == generation
      && user.password?.updatedAtMilliseconds == passwordUpdatedAtMilliseconds
  }
}
