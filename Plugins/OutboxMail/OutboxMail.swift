import Glibc
import HearthPlugin

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.mailer(OutboxMail.self)

/// Mail into a folder, for development: one file for each, and the link on the terminal.
public enum OutboxMail: MailerPlugin {
  /// `mail.outbox` in the configuration.
  public static let name = "outbox"
  /// On for development: its files are keys to accounts.
  public static let defaultUse = DefaultUse.inDevelopment

  /// A mailer into `folder`, by default `outbox` in the data folder, which is made for its owner alone. `showsLinks` prints each
  /// link to standard output.
  public static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer {
    let values = try SettingsReader(settings.values, at: "mail.outbox", names: ["folder", "showsLinks"])
    let folder = try values.text("folder") ?? settings.dataDirectory + "/outbox"
    guard let outbox = OutboxFolder(path: folder) else {
      throw values.error(
        "folder", "\(folder) cannot be made, or is not a folder that this user and nobody else can write to")
    }
    guard try values.bool("showsLinks") ?? true else { return OutboxMailer(folder: outbox, show: nil) }
    return OutboxMailer(folder: outbox) { line in
      print(line)
      // A developer who reads the output through a pipe wants the link now.
      fflush(nil)
    }
  }
}
