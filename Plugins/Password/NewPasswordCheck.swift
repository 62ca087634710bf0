import HearthPlugin

/// Measures new passwords by the operator's policy.
struct NewPasswordCheck: Sendable {
  let policy: PasswordPolicy
  /// The project's name, the app's: words that everybody thinks of first.
  let contextWords: [String]

  /// A shorter word would be found in passwords by chance.
  private static let contextWordLengthMin = 4

  /// Why a new password is not taken; nil when it is. The text names the rule, never the password.
  func problem(password: String, email: String) -> SignInRefusal? {
    guard password.unicodeScalars.count >= policy.lengthMin else {
      return SignInRefusal(.weakPassword, "Password should be at least \(policy.lengthMin) characters")
    }
    let missing = missingRequirements(password)
    guard missing.isEmpty else {
      return SignInRefusal(
        .passwordRequirements, "Missing password requirements: [\(missing.joined(separator: ", "))]")
    }
    if policy.refusesCommon, CommonPasswords.contains(password) {
      return SignInRefusal(.weakPassword, "Password is one of those that are tried first")
    }
    if policy.refusesContext, containsContext(password, email: email) {
      return SignInRefusal(.weakPassword, "Password contains your address or the name of the app")
    }
    return nil
  }

  private func missingRequirements(_ password: String) -> [String] {
    let scalars = password.unicodeScalars
    var missing: [String] = []
    if password.utf8.count > policy.sizeBytesMax {
      missing.append("Password may contain at most \(policy.sizeBytesMax) characters")
    }
    if policy.requiresLowercase, !scalars.contains(where: \.properties.isLowercase) {
      missing.append("Password must contain a lower case character")
    }
    if policy.requiresUppercase, !scalars.contains(where: \.properties.isUppercase) {
      missing.append("Password must contain an upper case character")
    }
    if policy.requiresDigit, !scalars.contains(where: { $0.properties.numericType == .decimal }) {
      missing.append("Password must contain a numeric character")
    }
    if policy.requiresOther,
      !scalars.contains(where: { !$0.properties.isAlphabetic && $0.properties.numericType == nil })
    {
      missing.append("Password must contain a non-alphanumeric character")
    }
    return missing
  }

  private func containsContext(_ password: String, email: String) -> Bool {
    let password = password.lowercased()
    let localPart = email.split(separator: "@").first.map { [String($0)] } ?? []
    return (localPart + contextWords).contains { word in
      word.unicodeScalars.count >= Self.contextWordLengthMin && password.contains(word.lowercased())
    }
  }
}
