import Glibc
import HearthCrypto
import HearthOutbound
import HearthPlugin

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.mailer(SMTPMail.self)

/// A mailer plugin for an SMTP server, over libcurl.
public enum SMTPMail: MailerPlugin {
  /// The plugin's name, for `mail.smtp` in the configuration.
  public static let name = "smtp"

  /// Returns a mailer through `host`, which connects with the first mail and not before.
  public static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer {
    let names = [
      "host", "port", "security", "username", "password", "passwordFile", "clientName", "timeoutSeconds",
      "authorityFile",
    ]
    let values = try SettingsReader(settings.values, at: "mail.smtp", names: names)
    let security = try security(values)
    let (username, password) = (try values.text("username"), try values.secret("password"))
    guard (username == nil) == (password == nil) else {
      throw values.error(username == nil ? "username" : "password", "is missing: give both or neither")
    }
    let server = MailServer(
      host: try values.requiredText("host"),
      port: try values.int("port", in: 1...65_535) ?? Self.port(security), security: security,
      username: username, password: password, clientName: try values.text("clientName") ?? "localhost",
      timeoutSeconds: try values.int("timeoutSeconds", in: 1...60) ?? 20,
      authorityFile: try values.text("authorityFile"))
    do throws(OutboundError) {
      return SMTPMailer(mail: try SMTPClient(server: server), random: .system)
    } catch {
      throw values.error("host", "is not a valid host name, or clientName is not")
    }
  }

  private static func security(_ values: SettingsReader) throws(SettingsError) -> MailServer.Security {
    guard let text = try values.text("security") else { return .startTLS }
    guard let security = MailServer.Security(rawValue: text) else {
      throw values.error(
        "security", "must be tls, startTLS, or none, which is only allowed for a server on this machine")
    }
    return security
  }

  private static func port(_ security: MailServer.Security) -> Int {
    switch security {
    case .tls: 465
    case .startTLS: 587
    case .none: 25
    }
  }
}

/// A mailer that encodes each mail and sends it to the server.
struct SMTPMailer: Mailer {
  let mail: SMTPClient
  let random: RandomBytes

  func send(_ message: MailMessage) async throws {
    let text = try message.text(dateSeconds: Int64(time(nil)), id: try random.alphanumeric(length: 24))
    try await mail.send(from: message.fromAddress, to: message.to, message: text)
  }
}
