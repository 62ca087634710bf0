import HearthAccounts
import HearthTree

/// A JSON object of a response, built member by member. Values that are nil are omitted.
struct ReplyObject: Sendable {
  private(set) var members: [JSON.Member] = []

  init() {}

  /// - Parameter kind: the answer's type: `SignupNewUser` makes `identitytoolkit#SignupNewUserResponse`.
  init(kind: String) { set("kind", "identitytoolkit#\(kind)Response") }

  var json: JSON { .object(members) }

  mutating func set(_ name: String, _ text: String?) {
    if let text { members.append(JSON.Member(name, .string(text))) }
  }

  mutating func set(_ name: String, _ value: Bool?) {
    if let value { members.append(JSON.Member(name, .bool(value))) }
  }

  mutating func set(_ name: String, _ value: JSON?) {
    if let value { members.append(JSON.Member(name, value)) }
  }

  /// Sets a list, unless it is empty.
  mutating func set(_ name: String, list: [JSON]) {
    if !list.isEmpty { members.append(JSON.Member(name, .array(list))) }
  }

  /// Sets the tokens, or the text that stands for the first factor until the second is shown.
  mutating func set(_ step: SecondFactors.Step) {
    switch step {
    case .signedIn(let signedIn): set(signedIn.tokens)
    case .pending(let text, let user):
      set("mfaPendingCredential", text)
      set("mfaInfo", list: user.factors.map { UserInfoAnswer.factor($0, redacted: true) })
    }
  }

  mutating func set(_ tokens: TokenTriple?) {
    guard let tokens else { return }
    set("idToken", tokens.idToken)
    set("refreshToken", tokens.refreshToken)
    set("expiresIn", String(tokens.expiresInSeconds))
  }
}
