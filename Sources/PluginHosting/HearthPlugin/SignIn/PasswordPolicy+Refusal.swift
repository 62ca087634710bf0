extension PasswordPolicy {
  /// Returns the reason why a password is refused for its length or its characters; nil when it is accepted. The text
  /// names the rule, never the password.
  ///
  /// The server calls this with the current policy, which administrators change while it runs. The password plugin
  /// checks for common passwords and for the app's name.
  public func refusal(of password: String) -> SignInRefusal? {
    guard password.unicodeScalars.count >= lengthMin else {
      return SignInRefusal(.weakPassword, "Password should be at least \(lengthMin) characters")
    }
    let missing = missingRequirements(password)
    guard missing.isEmpty else {
      return SignInRefusal(
        .passwordRequirements, "Missing password requirements: [\(missing.joined(separator: ", "))]")
    }
    return nil
  }

  private func missingRequirements(_ password: String) -> [String] {
    let scalars = password.unicodeScalars
    var missing: [String] = []
    if password.utf8.count > sizeBytesMax {
      missing.append("Password may contain at most \(sizeBytesMax) characters")
    }
    if requiresLowercase, !scalars.contains(where: \.properties.isLowercase) {
      missing.append("Password must contain a lower case character")
    }
    if requiresUppercase, !scalars.contains(where: \.properties.isUppercase) {
      missing.append("Password must contain an upper case character")
    }
    if requiresDigit, !scalars.contains(where: { $0.properties.numericType == .decimal }) {
      missing.append("Password must contain a numeric character")
    }
    if requiresOther, !scalars.contains(where: { !$0.properties.isAlphabetic && $0.properties.numericType == nil }) {
      missing.append("Password must contain a non-alphanumeric character")
    }
    return missing
  }
}
