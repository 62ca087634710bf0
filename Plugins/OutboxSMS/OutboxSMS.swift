import Glibc
import HearthCrypto
import HearthPlugin

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.smsSender(OutboxSMS.self)

/// Text messages into a folder, for development: one file for each, and its text on the terminal.
public enum OutboxSMS: SMSPlugin {
  /// `phone.outbox` in the configuration.
  public static let name = "outbox"
  /// On for development: its files are keys to accounts.
  public static let defaultUse = DefaultUse.inDevelopment

  /// A sender into `folder`, by default `outbox` in the data folder, which is made for its owner alone. `showsTexts` prints
  /// each message to standard output.
  public static func sender(_ settings: PluginSettings) throws(SettingsError) -> any SMSSender {
    let values = try SettingsReader(settings.values, at: "phone.outbox", names: ["folder", "showsTexts"])
    let folder = try values.text("folder") ?? settings.dataDirectory + "/outbox"
    guard let outbox = OutboxFolder(path: folder) else {
      throw values.error(
        "folder", "\(folder) cannot be made, or is not a folder that this user and nobody else can write to")
    }
    guard try values.bool("showsTexts") ?? true else { return OutboxSMSSender(folder: outbox, show: nil) }
    return OutboxSMSSender(folder: outbox) { line in
      print(line)
      // A developer who reads the output through a pipe wants the code now.
      fflush(nil)
    }
  }
}

/// Writes each message to the folder and shows it.
struct OutboxSMSSender: SMSSender {
  let folder: OutboxFolder
  /// Takes a line for the developer's terminal; nil shows nothing.
  let show: (@Sendable (String) -> Void)?

  func send(_ message: SMSMessage) async throws {
    let seconds = Int64(time(nil))
    let id = try RandomBytes.system.alphanumeric(length: 12)
    let path = try folder.write(
      Array("To: \(message.to)\n\n\(message.text)\n".utf8), name: "\(seconds)-\(id)-\(message.kind.rawValue).txt")
    show?("text message to \(message.to) (\(message.kind.rawValue)): \(path)")
    show?("  \(Self.printable(message.text))")
  }

  /// Nothing that a terminal would obey.
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
