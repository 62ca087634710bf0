import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree

/// The input of an operation: the request's JSON object, and its sender.
///
/// Reading is as tolerant as in Firebase Authentication: names in camel or snake case, numbers as strings and the reverse, `null`
/// as absent. A value of another type is an ``AccountError/Code/invalidArgument``.
struct IdentityCall: Sendable {
  var body: JSON
  /// The sender's permissions; a client has none but those that it proves in the body.
  var authority: Authority
  var client: ClientInfo
  var now: Instant
  var isFromLoopback = false
  /// The API key that the client named; links in mails repeat it.
  var apiKey: String?
  /// The members of a setting that a change is about, from the query.
  var updateMask: String?
  /// The tenant from the path; nil for the project itself.
  var pathTenant: String?

  /// The id of a provider configuration, from the path, or for a new one from the query; nil for none.
  var configurationID: String?

  /// The longest text of a member, but for tokens and provider answers.
  static let textBytesMax = 8 << 10
  static let longTextBytesMax = 64 << 10

  /// True when an administrator of the project's users makes the call.
  var isOfAdministrator: Bool { authority.allows(.changeUsers) }
  var nowSeconds: Int64 { now.wallMilliseconds / 1000 }

  /// Returns the member unchanged; nil when absent or `null`.
  func value(_ name: String) -> JSON? {
    switch body[name] ?? body[Self.snakeCase(name)] {
    case nil, .null?: nil
    case let value?: value
    }
  }

  /// Returns a text; nil when absent. The empty text counts as a text.
  func text(_ name: String, sizeBytesMax: Int = textBytesMax) throws(AccountError) -> String? {
    switch value(name) {
    case nil: return nil
    case .string(let text)?:
      guard text.utf8.count <= sizeBytesMax else { throw AccountError(.invalidArgument, "\(name) is too long") }
      return text
    case .int(let number)?: return String(number)
    default: throw AccountError(.invalidArgument, "\(name) must be a string")
    }
  }

  func bool(_ name: String) throws(AccountError) -> Bool? {
    switch value(name) {
    case nil: nil
    case .bool(let value)?: value
    case .string("true")?: true
    case .string("false")?: false
    default: throw AccountError(.invalidArgument, "\(name) must be a boolean")
    }
  }

  func int(_ name: String) throws(AccountError) -> Int64? {
    guard let value = value(name) else { return nil }
    if let number = value.int { return number }
    if case .string(let text) = value, let number = Int64(text) { return number }
    throw AccountError(.invalidArgument, "\(name) must be a whole number")
  }

  /// Returns the texts of an array; a single text counts as an array of one, as URL queries send it.
  func texts(_ name: String) throws(AccountError) -> [String]? {
    switch value(name) {
    case nil: return nil
    case .string(let text)?: return [text]
    case .array(let elements)?:
      var texts: [String] = []
      for element in elements {
        guard case .string(let text) = element, text.utf8.count <= Self.textBytesMax else {
          throw AccountError(.invalidArgument, "\(name) must be an array of strings")
        }
        texts.append(text)
      }
      return texts
    default: throw AccountError(.invalidArgument, "\(name) must be an array of strings")
    }
  }

  func object(_ name: String) throws(AccountError) -> JSON? {
    switch value(name) {
    case nil: nil
    case .object(let members)?: .object(members)
    default: throw AccountError(.invalidArgument, "\(name) must be an object")
    }
  }

  /// Returns the call with another body.
  func with(_ body: JSON) -> IdentityCall {
    var call = self
    call.body = body
    return call
  }

  /// The account of the request's ID token.
  ///
  /// - Throws: `missingIDToken`, `invalidIDToken`, `tokenExpired`, `userNotFound`, `userDisabled`.
  func caller(in accounts: Accounts) throws(AccountError) -> Caller {
    try accounts.sessions.callers.caller(idToken: try text("idToken", sizeBytesMax: Self.longTextBytesMax), now: now)
  }

  /// The calling administrator, for the audit trail. The route has checked the permissions before.
  ///
  /// - Throws: `unauthenticated` for clients.
  func administrator() throws(AccountError) -> Administrator {
    guard authority.administratorName != nil else { throw AccountError(.unauthenticated) }
    return Administrator(authority, client: client, now: now)
  }

  /// The token, code or session in the request, which identifies the project on an emulator.
  var presentedSecret: PresentedSecret? {
    func text(_ name: String) -> String? { value(name)?.string.flatMap { $0.isEmpty ? nil : $0 } }
    if let token = text("idToken") { return .idToken(token) }
    if let token = text("refreshToken") { return .refreshToken(token) }
    let ticket =
      text("oobCode") ?? text("mfaPendingCredential") ?? text("pendingToken") ?? text("sessionInfo")
      ?? text("temporaryProof")
    return ticket.map { .ticket($0) }
  }

  static func snakeCase(_ name: String) -> String {
    var text = ""
    for character in name {
      if character.isUppercase { text += "_" + character.lowercased() } else { text.append(character) }
    }
    return text
  }
}
