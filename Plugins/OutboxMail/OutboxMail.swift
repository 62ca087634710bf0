import Glibc
import HearthPlugin

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.mailer(OutboxMail.self)

/// A mailer plugin for development that writes each mail to a file in a folder, and its link to the terminal.
public enum OutboxMail: MailerPlugin {
  /// The plugin's name, for `mail.outbox` in the configuration.
  public static let name = "outbox"
  /// Enabled by default for development only, because its files give access to accounts.
  public static let defaultUse = DefaultUse.inDevelopment

  /// Returns a mailer for `folder`, by default `outbox` in the data folder, which is created with access for its owner
  /// only. `showsLinks` prints each link to standard output.
  public static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer {
    let values = try SettingsReader(settings.values, at: "mail.outbox", names: ["folder", "showsLinks"])
    let folder = try values.text("folder") ?? settings.dataDirectory + "/outbox"
    guard let outbox = OutboxFolder(path: folder) else {
      throw values.error(
        "folder", "\(folder) cannot be created, or is not a folder that only this user can write to")
    }
    guard try values.bool("showsLinks") ?? true else { return OutboxMailer(folder: outbox, show: nil) }
    return OutboxMailer(folder: outbox) { line in
      print(line)
      // A developer who reads the output through a pipe needs the link now.
      fflush(nil)
    }
  }
}
