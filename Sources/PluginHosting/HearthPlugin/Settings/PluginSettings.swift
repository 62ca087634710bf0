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
  /// The origins under which browsers open the pages that sign people in; the first is the server's own.
  public var pageOrigins: [String] = []
  /// Hosts that links may lead to, beside those of the pages.
  public var authorizedDomains: [String] = []

  /// What a test or an embedding program tells a plugin.
  public init(
    values: JSON = [:], projectID: String, dataDirectory: String, passwordPolicy: PasswordPolicy = .init()
  ) {
    self.values = values
    self.projectID = projectID
    self.dataDirectory = dataDirectory
    self.passwordPolicy = passwordPolicy
  }
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
