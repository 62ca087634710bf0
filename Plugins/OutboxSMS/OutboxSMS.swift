import Glibc
import HearthCrypto
import HearthPlugin

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.smsSender(OutboxSMS.self)

/// An SMS plugin for development that writes each message to a file in a folder, and its text to the terminal.
public enum OutboxSMS: SMSPlugin {
  /// The plugin's name, for `phone.outbox` in the configuration.
  public static let name = "outbox"
  /// Enabled by default for development only, because its files give access to accounts.
  public static let defaultUse = DefaultUse.inDevelopment

  /// Returns a sender for `folder`, by default `outbox` in the data folder, which is created with access for its owner
  /// only. `showsTexts` prints each message to standard output.
  public static func sender(_ settings: PluginSettings) throws(SettingsError) -> any SMSSender {
    let values = try SettingsReader(settings.values, at: "phone.outbox", names: ["folder", "showsTexts"])
    let folder = try values.text("folder") ?? settings.dataDirectory + "/outbox"
    guard let outbox = OutboxFolder(path: folder) else {
      throw values.error(
        "folder", "\(folder) cannot be created, or is not a folder that only this user can write to")
    }
    guard try values.bool("showsTexts") ?? true else { return OutboxSMSSender(folder: outbox, show: nil) }
    return OutboxSMSSender(folder: outbox) { line in
      print(line)
      // A developer who reads the output through a pipe needs the code now.
      fflush(nil)
    }
  }
}

/// A sender that writes each message to the folder and shows it.
struct OutboxSMSSender: SMSSender {
  let folder: OutboxFolder
  /// Prints a line on the developer's terminal; nil prints nothing.
  let show: (@Sendable (String) -> Void)?

  func send(_ message: SMSMessage) async throws {
    let seconds = Int64(time(nil))
    let id = try RandomBytes.system.alphanumeric(length: 12)
    let path = try folder.write(
      Array("To: \(message.to)\n\n\(message.text)\n".utf8), name: "\(seconds)-\(id)-\(message.kind.rawValue).txt")
    show?("text message to \(message.to) (\(message.kind.rawValue)): \(path)")
    show?("  \(Self.printable(message.text))")
  }

  /// Returns the text without characters that control a terminal.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isPrintable ? $0 : "?" }))
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
