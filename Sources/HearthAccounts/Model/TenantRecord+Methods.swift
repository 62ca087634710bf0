import HearthPlugin

extension TenantRecord {
  /// Whether its users may sign in that way, where the server serves it.
  func allows(_ method: SignInMethod) -> Bool {
    switch method {
    case .password: allowsPasswords
    case .emailLink: allowsEmailLinks
    case .anonymous: allowsAnonymous
    case .customToken, .credential, .passkey: true
    }
  }
}
