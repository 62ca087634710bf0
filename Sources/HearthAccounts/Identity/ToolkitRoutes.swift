import HearthCrypto

/// The paths of the identity service proper, in its versions 1, 2 and 3.
enum ToolkitRoutes {
  static func route(_ parts: [String]) -> IdentityRoute? {
    switch parts.first {
    case "v1": first(parts)
    case "v2": second(parts)
    case "identitytoolkit" where parts.count == 4 && parts[1] == "v3" && parts[2] == "relyingparty":
      third(parts[3])
    default: nil
    }
  }

  // MARK: Version 1

  private static func first(_ parts: [String]) -> IdentityRoute? {
    if parts.count == 2 {
      switch parts[1] {
      case "projects": return IdentityRoute(.projectConfig, "GET")
      case "recaptchaParams": return IdentityRoute(.captchaParameters, "GET")
      case "sessionCookiePublicKeys": return IdentityRoute(.certificates(.sessionCookie), "GET", .everybody)
      case _ where parts[1].hasPrefix("accounts:"): return client(String(parts[1].dropFirst("accounts:".count)))
      default: return nil
      }
    }
    guard parts.count >= 3, parts[1] == "projects" else { return nil }
    var (project, rest) = (parts[2], Array(parts[3...]))
    var tenant: String?
    if rest.count >= 2, rest[0] == "tenants" {
      tenant = rest[1]
      rest = Array(rest[2...])
    }
    var verb = ""
    if rest.isEmpty {
      // `projects/<p>:createSessionCookie`, with a tenant behind `tenants/`.
      let target = tenant ?? project
      guard let colon = target.lastIndex(of: ":") else { return nil }
      verb = String(target[target.index(after: colon)...])
      if tenant == nil { project = String(target[..<colon]) } else { tenant = String(target[..<colon]) }
    } else {
      verb = rest.joined(separator: "/")
    }
    guard var route = administrator(verb) else { return nil }
    route.project = project
    route.tenant = tenant
    return route
  }

  private static func client(_ verb: String) -> IdentityRoute? {
    switch verb {
    case "signUp": IdentityRoute(.signUp)
    case "signInWithPassword": IdentityRoute(.signInWithPassword)
    case "signInWithCustomToken": IdentityRoute(.signInWithCustomToken)
    case "signInWithIdp": IdentityRoute(.signInWithIdentity)
    case "lookup": IdentityRoute(.lookup)
    case "update": IdentityRoute(.update)
    case "delete": IdentityRoute(.delete)
    case "sendOobCode": IdentityRoute(.sendCode)
    case "resetPassword": IdentityRoute(.resetPassword)
    case "signInWithEmailLink": IdentityRoute(.signInWithEmailLink)
    case "createAuthUri": IdentityRoute(.createAuthURI)
    case "query": IdentityRoute(.queryAccounts, "POST", .administrator)
    case "sendVerificationCode": IdentityRoute(.sendPhoneCode)
    case "signInWithPhoneNumber": IdentityRoute(.signInWithPhone)
    case "verifyIosClient": unserved("phone sign-in")
    case "signInWithGameCenter": unserved("Game Center")
    case "issueSamlResponse": unserved("SAML")
    default: nil
    }
  }

  private static func administrator(_ verb: String) -> IdentityRoute? {
    switch verb {
    case "accounts": IdentityRoute(.adminCreate, "POST", .administrator)
    case "accounts:lookup": IdentityRoute(.adminLookup, "POST", .administrator)
    case "accounts:update": IdentityRoute(.adminUpdate, "POST", .administrator)
    case "accounts:delete": IdentityRoute(.adminDelete, "POST", .administrator)
    case "accounts:sendOobCode": IdentityRoute(.adminSendCode, "POST", .administrator)
    case "accounts:batchGet": IdentityRoute(.batchGet, "GET", .administrator)
    case "accounts:batchDelete": IdentityRoute(.batchDelete, "POST", .administrator)
    case "accounts:batchCreate": IdentityRoute(.batchCreate, "POST", .administrator)
    case "accounts:query", "queryAccounts": IdentityRoute(.queryAccounts, "POST", .administrator)
    case "createSessionCookie": IdentityRoute(.createSessionCookie, "POST", .administrator)
    default: nil
    }
  }

  // MARK: Version 2

  private static func second(_ parts: [String]) -> IdentityRoute? {
    guard parts.count >= 2 else { return nil }
    switch parts.dropFirst().joined(separator: "/") {
    case "passwordPolicy": return IdentityRoute(.passwordPolicy, "GET")
    case "recaptchaConfig": return IdentityRoute(.recaptchaConfig, "GET")
    case "accounts:revokeToken": return IdentityRoute(.revokeToken)
    case "accounts/mfaEnrollment:start": return IdentityRoute(.startEnrolment)
    case "accounts/mfaEnrollment:finalize": return IdentityRoute(.finishEnrolment)
    case "accounts/mfaEnrollment:withdraw": return IdentityRoute(.withdrawFactor)
    case "accounts/mfaSignIn:start": return IdentityRoute(.startSecondFactor)
    case "accounts/mfaSignIn:finalize": return IdentityRoute(.finishSecondFactor)
    default: break
    }
    if parts[1] == "accounts", parts.count == 3, parts[2].hasPrefix("passkey") { return unserved("passkeys") }
    guard parts[1] == "projects", parts.count >= 3 else { return nil }
    var route = IdentityRoute(.unserved("changing the project's configuration"), nil, .administrator)
    route.project = parts[2]
    return route
  }

  // MARK: Version 3

  private static func third(_ verb: String) -> IdentityRoute? {
    switch verb {
    case "signupNewUser": IdentityRoute(.signUp)
    case "verifyPassword": IdentityRoute(.signInWithPassword)
    case "verifyCustomToken": IdentityRoute(.signInWithCustomToken)
    case "verifyAssertion": IdentityRoute(.signInWithIdentity)
    case "getAccountInfo": IdentityRoute(.lookup)
    case "setAccountInfo": IdentityRoute(.update)
    case "deleteAccount": IdentityRoute(.delete)
    case "getOobConfirmationCode": IdentityRoute(.sendCode)
    case "resetPassword": IdentityRoute(.resetPassword)
    case "emailLinkSignin": IdentityRoute(.signInWithEmailLink)
    case "createAuthUri": IdentityRoute(.createAuthURI)
    case "getProjectConfig": IdentityRoute(.projectConfig, "GET")
    case "publicKeys": IdentityRoute(.certificates(.sessionCookie), "GET", .everybody)
    case "uploadAccount": IdentityRoute(.batchCreate, "POST", .administrator)
    case "downloadAccount": IdentityRoute(.batchGet, nil, .administrator)
    case "sendVerificationCode": IdentityRoute(.sendPhoneCode)
    case "verifyPhoneNumber": IdentityRoute(.signInWithPhone)
    case "getRecaptchaParam": IdentityRoute(.captchaParameters, "GET")
    case "verifyClient": unserved("phone sign-in")
    default: nil
    }
  }

  private static func unserved(_ what: String) -> IdentityRoute { IdentityRoute(.unserved(what), nil) }
}
