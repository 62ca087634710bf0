import HearthTree

/// The input of a plugin that makes its providers or its mailer: its part of the configuration, and the server's facts.
public struct PluginSettings: Sendable {
  /// The plugin's part of the configuration: an object, or an array where the plugin takes a list; `{}` when the plugin
  /// is only switched on. It may hold secrets, so the settings never print it.
  public var values: JSON
  /// The project that tokens are made for.
  public var projectID: String
  /// The server's data folder, for plugins that keep files. It exists, and belongs to the server's user alone.
  public var dataDirectory: String
  /// The requirements for new passwords. They are set outside of `signIn`, because clients read them as well.
  public var passwordPolicy: PasswordPolicy
  /// The origins under which browsers open the sign-in pages; the first is the server's own.
  public var pageOrigins: [String] = []
  /// Hosts that links may lead to, beside those of the pages.
  public var authorizedDomains: [String] = []

  /// Creates the settings that a test or an embedding program gives a plugin.
  public init(
    values: JSON = [:], projectID: String, dataDirectory: String, passwordPolicy: PasswordPolicy = .init()
  ) {
    self.values = values
    self.projectID = projectID
    self.dataDirectory = dataDirectory
    self.passwordPolicy = passwordPolicy
  }
}

/// A setting that cannot be used, with its place and the remedy. The server does not start then.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The setting's place: `signIn.oauth.google.clientIDs[0]`; or `line 3, column 7` of a text that is not JSON; empty
  /// for the whole file.
  public var place: String
  /// The message, as the rest of a sentence that begins with the place: `must be true or false`. No secret in it.
  public var message: String

  /// Creates an error about the setting at the given place.
  public init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  /// The place, a colon and the message: one line for the operator.
  public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
