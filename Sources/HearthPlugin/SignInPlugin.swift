import HearthTree

/// The entry of a sign-in plugin: makes its providers from the configuration.
public protocol SignInPlugin {
  /// The plugin's name in the configuration, under `signIn`.
  static var name: String { get }

  /// - Parameter settings: the plugin's part of the configuration.
  /// - Throws: ``SettingsError``, which keeps the server from starting with a sentence for the operator.
  static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider]
}

/// The entry of a mailer plugin.
public protocol MailerPlugin {
  /// The plugin's name in the configuration, under `mail`.
  static var name: String { get }

  static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer
}

/// A plugin's part of the configuration.
public struct PluginSettings: Sendable {
  /// An object; `{}` when the plugin was only switched on.
  public var values: JSON
  public var projectID: String
  /// The server's data folder, for plugins that keep files.
  public var dataDirectory: String

  public init(values: JSON = .object([]), projectID: String, dataDirectory: String) {
    self.values = values
    self.projectID = projectID
    self.dataDirectory = dataDirectory
  }
}

/// A setting that is missing or makes no sense.
public struct SettingsError: Error, Sendable, CustomStringConvertible {
  /// The setting's place: `signIn.google.clientIDs`.
  public var place: String
  public var message: String

  public init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }
}
