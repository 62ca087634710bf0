import HearthPlugin

extension TenantRecord {
  /// True when phones can be second factors, where the project has them.
  var hasPhoneFactors: Bool {
    guard let policy = secondFactorPolicy else { return true }
    return policy != .off && secondFactorProviders.contains("PHONE_SMS")
  }

  /// Returns true when the tenant allows the method; the server must serve it, too.
  func allows(_ method: SignInMethod) -> Bool {
    switch method {
    case .password: allowsPasswords
    case .emailLink: allowsEmailLinks
    case .anonymous: allowsAnonymous
    case .customToken, .credential, .passkey: true
    }
  }
}
