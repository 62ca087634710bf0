import HearthTree

/// What a plugin is told when it makes its providers or its mailer: its part of the configuration, and what the server
/// knows.
public struct PluginSettings: Sendable {
  /// What stands under the plugin's name: an object, or an array where the plugin takes a list; `{}` when the plugin was
  /// only switched on. It may hold secrets, so the settings print nothing of it.
  public var values: JSON
  /// The project that tokens are made for.
  public var projectID: String
  /// The server's data folder, for plugins that keep files. It exists, and belongs to the server's user alone.
  public var dataDirectory: String
  /// What new passwords must be like. It stands outside of `signIn`, as clients are told it as well.
  public var passwordPolicy: PasswordPolicy

  /// What a test or an embedding program tells a plugin.
  public init(
    values: JSON = .object([]), projectID: String, dataDirectory: String, passwordPolicy: PasswordPolicy = .init()
  ) {
    self.values = values
    self.projectID = projectID
    self.dataDirectory = dataDirectory
    self.passwordPolicy = passwordPolicy
  }
}

/// What a new password must be like.
///
/// Length is what counts, and being nobody else's; rules on kinds of characters are off, as they make passwords
/// predictable (OWASP ASVS 6.2.5).
public struct PasswordPolicy: Sendable, Equatable {
  /// In Unicode scalars: 6 to 128.
  public var lengthMin = 6
  /// In bytes of UTF-8: 64 to 4,096.
  public var sizeBytesMax = 4_096
  /// A lower-case letter of any alphabet.
  public var requiresLowercase = false
  /// An upper-case letter of any alphabet.
  public var requiresUppercase = false
  /// A decimal digit of any script.
  public var requiresDigit = false
  /// A character that is neither a letter nor a digit.
  public var requiresOther = false
  /// Refuses the most used passwords, without regard to case.
  public var refusesCommon = false
  /// Refuses a password that contains the local part of the address, or the project's name.
  public var refusesContext = false

  /// The policy when nobody says anything: six characters, as the official service has it.
  public init() {}
}

/// A setting that cannot be used, where it is, and what to do about it. It keeps the server from starting.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The setting's place: `signIn.oauth.google.clientIDs[0]`; or `line 3, column 7` of a text that is not JSON; empty for
  /// the whole file.
  public var place: String
  /// What is wrong with it, as the rest of a sentence that begins with the place: `must be true or false`. No secret in it.
  public var message: String

  /// An error about the setting at that place.
  public init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  /// The place, a colon and the message: one line for the operator.
  public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
