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
      let info = AdditionalUserInfo(providerID: "", profileJSON: nil, username: nil, isNewUser: false)
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

  /// Signs in on a provider's sign-in page in the user's browser.
  ///
  /// - Parameter uiDelegate: The opener of the page; nil for the system's own, which is standard error on Linux.
  @discardableResult
  public func signIn(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    try await signIn(with: try await provider.credential(with: uiDelegate))
  }

  /// Returns true when the link is a sign-in link.
  public func isSignIn(withEmailLink link: String) -> Bool { ActionCodeURL(link: link)?.operation == .emailLink }

  /// Exchanges a credential for the tokens of a session.
  func exchange(
    _ credential: AuthCredential, in service: IdentityService, reauthenticating user: User? = nil
  ) async throws -> (answer: JSON, tokens: UserTokens) {
    let answer: JSON
    switch credential {
    case let credential as EmailAuthCredential:
      let (operation, fields) = try credential.signInRequest
      answer = try await service.call(operation, fields)
    case let credential as OAuthCredential:
      answer = try await service.call("accounts:signInWithIdp", credential.request(autoCreate: true))
    case let credential as PhoneAuthCredential:
      answer = try await service.call(
        "accounts:signInWithPhoneNumber", credential.fields(user == nil ? .signIn : .reauthenticate))
    default:
      throw AuthErrorCode.invalidCredential.error()
    }
    try check(answer, of: credential, reauthenticating: user)
    guard let tokens = service.tokens(of: answer) else { throw IdentityService.noTokens }
    return (answer, tokens)
  }

  /// Throws an error for a response that has a successful status but refuses the sign-in.
  ///
  /// - Parameter user: The user that reauthenticates; nil for a sign-in or a link.
  func check(_ answer: JSON, of credential: AuthCredential?, reauthenticating user: User? = nil) throws {
    var info: [String: Any] = [:]
    if let email = answer["email"]?.string { info[AuthErrors.userInfoEmailKey] = email }
    if let updated = credential.flatMap({ updatedCredential($0, by: answer) }) ?? credential {
      info[AuthErrors.userInfoUpdatedCredentialKey] = updated
    }
    if let message = answer["errorMessage"]?.string, !message.isEmpty {
      throw AuthErrorCode.error(ofServerMessage: message, userInfo: info)
    }
    if answer["needConfirmation"]?.bool == true {
      throw AuthErrorCode.accountExistsWithDifferentCredential.error(userInfo: info)
    }
    if answer["temporaryProof"]?.string != nil { throw AuthErrorCode.credentialAlreadyInUse.error(userInfo: info) }
    let signIn = MultiFactorResolver.PendingSignIn(answer: answer, credential: credential, user: user)
    if let resolver = MultiFactorResolver(signIn, auth: self) {
      throw AuthErrorCode.secondFactorRequired.error(userInfo: [AuthErrors.userInfoMultiFactorResolverKey: resolver])
    }
  }

  /// Returns the credential with which the app can continue after a response; nil when the response has none.
  private func updatedCredential(_ given: AuthCredential, by answer: JSON) -> AuthCredential? {
    switch given {
    case let given as OAuthCredential: return given.renewed(by: answer)
    case is PhoneAuthCredential:
      guard let proof = answer["temporaryProof"]?.string, let number = answer["phoneNumber"]?.string else { return nil }
      return PhoneAuthCredential(.temporary(proof: proof, phoneNumber: number))
    default: return nil
    }
  }

  /// Signs in with the tokens of a response.
  func signIn(
    _ answer: JSON, credential: AuthCredential? = nil, providerID: String? = nil, isNew: Bool? = nil,
    isAnonymous: Bool = false
  ) async throws -> AuthDataResult {
    let service = service
    try check(answer, of: credential)
    guard let tokens = service.tokens(of: answer) else { throw IdentityService.noTokens }
    let user = try await adopt(tokens, from: service, isAnonymous: isAnonymous)
    return result(user, answer: answer, credential: credential, providerID: providerID, isNew: isNew)
  }

  func result(
    _ user: User, answer: JSON, credential: AuthCredential?, providerID: String? = nil, isNew: Bool? = nil
  ) -> AuthDataResult {
    // The provider's own profile is JSON in a string.
    let profile = answer["rawUserInfo"]?.string.flatMap { JSON(parsing: $0.utf8) }
    let info = AdditionalUserInfo(
      providerID: answer["providerId"]?.string ?? credential?.provider ?? providerID ?? "", profileJSON: profile,
      username: answer["screenName"]?.string, isNewUser: isNew ?? answer["isNewUser"]?.bool ?? false)
    let renewed = (credential as? OAuthCredential)?.renewed(by: answer)
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
        guard let code = ActionCodeURL(link: link)?.code else { throw AuthErrorCode.invalidActionCode.error() }
        return ("accounts:signInWithEmailLink", [("email", .string(email)), ("oobCode", .string(code))])
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
      ("postBody", .string(postBody)), ("requestUri", .string(page?.url ?? "http://localhost")),
      ("sessionId", (page?.sessionID).map { .string($0) }), ("pendingToken", pendingToken.map { .string($0) }),
      ("returnSecureToken", .bool(true)), ("returnIdpCredential", .bool(true)), ("autoCreate", .bool(autoCreate)),
    ]
  }
}
