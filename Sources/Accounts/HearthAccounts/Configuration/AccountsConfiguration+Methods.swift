import HearthPlugin

extension AccountsConfiguration {
  /// Returns true when people may sign in that way, where a plugin serves it.
  func allows(_ method: SignInMethod) -> Bool {
    switch method {
    case .password: allowsPasswords
    case .emailLink: allowsEmailLinks
    case .anonymous: allowsAnonymous
    case .customToken, .credential, .passkey: true
    }
  }
}
