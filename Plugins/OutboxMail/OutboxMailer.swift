import Glibc
import HearthCrypto
import HearthPlugin

/// A mailer that writes each mail to the folder and shows its link.
struct OutboxMailer: Mailer {
  let folder: OutboxFolder
  /// Prints a line on the developer's terminal; nil prints nothing.
  let show: (@Sendable (String) -> Void)?

  func send(_ message: MailMessage) async throws {
    let seconds = Int64(time(nil))
    let id = try RandomBytes.system.alphanumeric(length: 12)
    let text = try message.text(dateSeconds: seconds, id: id, keepsLongLines: true)
    let path = try folder.write(text, name: "\(seconds)-\(id)-\(message.kind.rawValue).eml")
    guard let show else { return }
    show("mail to \(Self.printable(message.to)) (\(message.kind.rawValue)): \(path)")
    if let link = message.link { show("  \(Self.printable(link))") }
  }

  /// Returns the text without characters that control a terminal.
  private static func printable(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: out.append("?")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
