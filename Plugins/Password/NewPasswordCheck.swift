import HearthPlugin

/// Looks whether others would guess a new password; the server itself measures its length and its characters.
struct NewPasswordCheck: Sendable {
  let policy: PasswordPolicy
  /// The project's name, the app's: words that everybody thinks of first.
  let contextWords: [String]

  /// A shorter word would be found in passwords by chance.
  private static let contextWordLengthMin = 4

  /// Returns the reason why a new password is not taken; nil when it is. The text names the rule, never the password.
  func problem(password: String, email: String) -> SignInRefusal? {
    if policy.refusesCommon, CommonPasswords.contains(password) {
      return SignInRefusal(.weakPassword, "Password is one of those that are tried first")
    }
    if policy.refusesContext, containsContext(password, email: email) {
      return SignInRefusal(.weakPassword, "Password contains your address or the name of the app")
    }
    return nil
  }

  private func containsContext(_ password: String, email: String) -> Bool {
    let password = password.lowercased()
    let localPart = email.split(separator: "@").first.map { [String($0)] } ?? []
    return (localPart + contextWords).contains { word in
      word.unicodeScalars.count >= Self.contextWordLengthMin && password.contains(word.lowercased())
    }
  }
}
