import HearthPlugin

/// What a new password must be like.
///
/// Length is what counts, and being nobody else's; rules on kinds of characters are off, as they make passwords
/// predictable (OWASP ASVS 6.2.5).
struct PasswordPolicy: Sendable, Equatable {
  static let names = [
    "lengthMin", "sizeBytesMax", "requiresLowercase", "requiresUppercase", "requiresDigit", "requiresOther",
    "refusesCommon", "refusesContext",
  ]

  /// In Unicode scalars, not below 6.
  var lengthMin = 6
  /// In bytes of UTF-8, not above 4096.
  var sizeBytesMax = 4_096
  var requiresLowercase = false
  var requiresUppercase = false
  var requiresDigit = false
  var requiresOther = false
  /// Refuses the most used passwords, without regard to case.
  var refusesCommon = false
  /// Refuses passwords that contain the local part of the address or a context word.
  var refusesContext = false
  /// The project's name, the app's: words that everybody thinks of first.
  var contextWords: [String] = []

  /// A shorter word would be found in passwords by chance.
  private static let contextWordLengthMin = 4

  init() {}

  init(_ settings: SettingsReader) throws(SettingsError) {
    lengthMin = try settings.int("lengthMin", in: 6...128) ?? lengthMin
    sizeBytesMax = try settings.int("sizeBytesMax", in: 64...4_096) ?? sizeBytesMax
    requiresLowercase = try settings.bool("requiresLowercase") ?? false
    requiresUppercase = try settings.bool("requiresUppercase") ?? false
    requiresDigit = try settings.bool("requiresDigit") ?? false
    requiresOther = try settings.bool("requiresOther") ?? false
    refusesCommon = try settings.bool("refusesCommon") ?? false
    refusesContext = try settings.bool("refusesContext") ?? false
    guard lengthMin <= sizeBytesMax else { throw settings.error("lengthMin", "is more than sizeBytesMax") }
  }

  /// Why a new password is not taken; nil when it is. The text names the rule, never the password.
  func problem(password: String, email: String) -> SignInRefusal? {
    guard password.unicodeScalars.count >= lengthMin else {
      return SignInRefusal(.weakPassword, "Password should be at least \(lengthMin) characters")
    }
    let missing = missingRequirements(password)
    guard missing.isEmpty else {
      return SignInRefusal(
        .passwordRequirements, "Missing password requirements: [\(missing.joined(separator: ", "))]")
    }
    if refusesCommon, CommonPasswords.contains(password) {
      return SignInRefusal(.weakPassword, "Password is one of those that are tried first")
    }
    if refusesContext, containsContext(password, email: email) {
      return SignInRefusal(.weakPassword, "Password contains your address or the name of the app")
    }
    return nil
  }

  private func missingRequirements(_ password: String) -> [String] {
    let scalars = password.unicodeScalars
    var missing: [String] = []
    if password.utf8.count > sizeBytesMax { missing.append("Password may contain at most \(sizeBytesMax) characters") }
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

  private func containsContext(_ password: String, email: String) -> Bool {
    let password = password.lowercased()
    let localPart = email.split(separator: "@").first.map { [String($0)] } ?? []
    return (localPart + contextWords).contains { word in
      word.unicodeScalars.count >= Self.contextWordLengthMin && password.contains(word.lowercased())
    }
  }
}
