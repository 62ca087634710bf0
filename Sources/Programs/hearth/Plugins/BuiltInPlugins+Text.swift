import HearthAccounts
import HearthBytes
import HearthPlugin

/// The plugins' names in the command line's help.
extension BuiltInPlugins {
  /// The sign-in plugins in the form of `--sign-in`: `custom-token, password`.
  static let signInText = list(signIn.map { flagName($0.name) } + [ProviderID.phone])

  /// Returns the sign-in plugins that are enabled by default.
  static func defaultText(isDevelopment: Bool) -> String {
    list(
      signIn.filter { $0.defaultUse.isOn(isDevelopment: isDevelopment) }.map { flagName($0.name) }
        + (isDevelopment ? [ProviderID.phone] : []))
  }

  /// Returns the plugin's name for a flag such as `custom-token`: `customToken`.
  static func name(flagName: some StringProtocol) -> String {
    flagName.split(separator: "-").enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
  }

  /// Returns the message for the first name of a `--sign-in` list that is no method; nil when all are known.
  static func problem(ofNames list: String) -> String? {
    let known = signIn.map { $0.name } + [ProviderID.phone]
    guard list != "none",
      let wrong = list.split(separator: ",").first(where: { !known.contains(name(flagName: $0)) })
    else { return nil }
    return "--sign-in has no method '\(wrong)'.\(Suggestion.sentence(String(wrong), among: known.map(flagName))) "
      + "Available: \(signInText)."
  }

  private static func flagName(_ name: String) -> String {
    name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}

extension DefaultUse {
  /// Returns true when a plugin of this kind is enabled by default.
  func isOn(isDevelopment: Bool) -> Bool {
    switch self {
    case .never: false
    case .inDevelopment: isDevelopment
    case .everywhere: true
    }
  }
}
