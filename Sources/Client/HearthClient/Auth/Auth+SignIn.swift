import Foundation
import HearthTree

extension Auth {
  /// Signs in with a custom token of the app's own server.
  @discardableResult public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
    let answer = try await service.call(
      "accounts:signInWithCustomToken", [("token", .string(token)), ("returnSecureToken", .bool(true))])
    return try await signIn(answer)
  }

  /// Signs in with an anonymous account, which has no other way to sign in until a credential is linked to it. An
  /// anonymous user who is signed in already stays signed in.
  @discardableResult public func signInAnonymously() async throws -> AuthDataResult {
    if let user = currentUser, user.isAnonymous {
      let info = AdditionalUserInfo(providerID: nil, profileJSON: nil, username: nil, isNewUser: false)
      return AuthDataResult(user: user, additionalUserInfo: info, credential: nil)
    }
    let answer = try await service.call("accounts:signUp", [("returnSecureToken", .bool(true))])
    return try await signIn(answer, isNew: true, isAnonymous: true)
  }

  /// Creates an account, and signs in to it.
  @discardableResult
  public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    guard !password.isEmpty else { throw AuthErrorCode.weakPassword.error() }
    let answer = try await service.call(
      "accounts:signUp",
      [("email", .string(email)), ("password", .string(password)), ("returnSecureToken", .bool(true))])
    return try await signIn(answer, providerID: EmailAuthProvider.id, isNew: true)
  }

  /// Signs in with an address and its password.
  @discardableResult
  public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
    try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
  }

  /// Signs in with a link that was mailed to the address.
  @discardableResult public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
    try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
  }

  /// Signs in with any credential.
  @discardableResult public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
    let (answer, _) = try await exchange(credential, in: service)
    return try await signIn(answer, credential: credential, providerID: credential.provider)
  }

  /// Returns true when the link is a sign-in link.
  public func isSignIn(withEmailLink link: String) -> Bool { ActionCodeLink(link)?.mode == "signIn" }

  /// Exchanges a credential for the tokens of a session.
  func exchange(
    _ credential: AuthCredential, in service: IdentityService
  ) async throws -> (answer: JSON, tokens: UserTokens) {
    let answer: JSON
    switch credential {
    case let credential as EmailAuthCredential:
      let (operation, fields) = try credential.signInRequest
      answer = try await service.call(operation, fields)
    case let credential as OAuthCredential:
      answer = try await service.call("accounts:signInWithIdp", credential.request(autoCreate: true))
    default:
      throw AuthErrorCode.invalidCredential.error()
    }
    try check(answer, of: credential)
    guard let tokens = service.tokens(of: answer) else { throw IdentityService.noTokens }
    return (answer, tokens)
  }

  /// Throws an error for a response that has a successful status but refuses the sign-in.
  func check(_ answer: JSON, of credential: AuthCredential?) throws {
    if let message = answer["errorMessage"]?.string, !message.isEmpty {
      throw AuthErrorCode.error(ofServerMessage: message)
    }
    if answer["needConfirmation"]?.bool == true {
      var info: [String: Any] = [:]
      if let email = answer["email"]?.string { info[AuthErrors.userInfoEmailKey] = email }
      if let credential { info[AuthErrors.userInfoUpdatedCredentialKey] = credential }
      throw AuthErrorCode.accountExistsWithDifferentCredential.error(userInfo: info)
    }
    if answer["mfaPendingCredential"] != nil { throw AuthErrorCode.secondFactorRequired.error() }
  }

  /// Signs in with the tokens of a response.
  private func signIn(
    _ answer: JSON, credential: AuthCredential? = nil, providerID: String? = nil, isNew: Bool? = nil,
    isAnonymous: Bool = false
  ) async throws -> AuthDataResult {
    let service = service
    try check(answer, of: credential)
    guard let tokens = service.tokens(of: answer) else { throw IdentityService.noTokens }
    var record = try await service.lookup(tokens.idToken)
    if isAnonymous { record.isAnonymous = true }
    let user = User(record: record, tokens: tokens, auth: self)
    try adopt(user)
    return result(user, answer: answer, credential: credential, providerID: providerID, isNew: isNew)
  }

  func result(
    _ user: User, answer: JSON, credential: AuthCredential?, providerID: String? = nil, isNew: Bool? = nil
  ) -> AuthDataResult {
    // The provider's own profile is JSON in a string.
    let profile = answer["rawUserInfo"]?.string.flatMap { JSON(parsing: $0.utf8) }
    let info = AdditionalUserInfo(
      providerID: answer["providerId"]?.string ?? credential?.provider ?? providerID, profileJSON: profile,
      username: answer["screenName"]?.string, isNewUser: isNew ?? answer["isNewUser"]?.bool ?? false)
    let (idToken, accessToken) = (answer["oauthIdToken"]?.string, answer["oauthAccessToken"]?.string)
    let renewed = (credential as? OAuthCredential).map { given in
      OAuthCredential(
        providerID: given.provider, idToken: idToken ?? given.idToken, accessToken: accessToken ?? given.accessToken,
        secret: answer["oauthTokenSecret"]?.string ?? given.secret, rawNonce: given.rawNonce)
    }
    return AuthDataResult(user: user, additionalUserInfo: info, credential: renewed)
  }
}

extension EmailAuthCredential {
  /// The sign-in operation for the credential, and its fields.
  var signInRequest: (String, [(String, JSON?)]) {
    get throws {
      guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
      switch proof {
      case .password(let password):
        guard !password.isEmpty else { throw AuthErrorCode.wrongPassword.error() }
        return (
          "accounts:signInWithPassword",
          [("email", .string(email)), ("password", .string(password)), ("returnSecureToken", .bool(true))]
        )
      case .link(let link):
        guard let action = ActionCodeLink(link) else { throw AuthErrorCode.invalidActionCode.error() }
        return ("accounts:signInWithEmailLink", [("email", .string(email)), ("oobCode", .string(action.code))])
      }
    }
  }

  /// The operation that links the credential to the account of the token in the request.
  var linkRequest: (String, [(String, JSON?)]) {
    get throws {
      let (operation, fields) = try signInRequest
      if case .password = proof { return ("accounts:signUp", fields) }
      return (operation, fields)
    }
  }
}

extension OAuthCredential {
  /// Returns the request fields that sign in with the credential or link it.
  func request(autoCreate: Bool) -> [(String, JSON?)] {
    [
      ("postBody", .string(postBody)), ("requestUri", .string("http://localhost")), ("returnSecureToken", .bool(true)),
      ("returnIdpCredential", .bool(true)), ("autoCreate", .bool(autoCreate)),
    ]
  }
}
