import HearthPlugin

extension AccountsConfiguration {
  /// Returns true when the configuration allows the method; a plugin must serve it, too.
  func allows(_ method: SignInMethod) -> Bool {
    switch method {
    case .password: allowsPasswords
    case .emailLink: allowsEmailLinks
    case .anonymous: allowsAnonymous
    case .customToken, .credential, .passkey: true
    }
  }
}
