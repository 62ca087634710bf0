import HearthPlugin

/// A check of whether a new password is easy to guess; the server itself checks its length and its characters.
struct NewPasswordCheck: Sendable {
  let policy: PasswordPolicy
  /// The names of the project and the app, which are easy to guess.
  let contextWords: [String]

  /// The length of the shortest context word; passwords contain shorter ones by chance.
  private static let contextWordLengthMin = 4

  /// Returns the reason to refuse a new password, or nil when it is accepted. The text names the rule, never the
  /// password.
  func problem(password: String, email: String) -> SignInRefusal? {
    if policy.refusesCommon, CommonPasswords.contains(password) {
      return SignInRefusal(.weakPassword, "Password is too common")
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
