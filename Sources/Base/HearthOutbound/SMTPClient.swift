import CCurl

/// A mail server that relays mail.
public struct MailServer: Sendable, Equatable {
  /// The encryption of a connection to a mail server.
  public enum Security: String, Sendable, CaseIterable {
    /// TLS from the first byte, usually port 465.
    case tls
    /// STARTTLS after the greeting, usually port 587. It is required: when an attacker removes the server's offer,
    /// sending fails, and the mail is not sent unencrypted.
    case startTLS
    /// No TLS: for a server on this machine only.
    case none
  }

  /// The host name or address of the server.
  public var host: String
  /// The port, 1 to 65,535.
  public var port: Int
  /// The encryption of the connection.
  public var security: Security
  /// The user name; nil to send without authentication.
  public var username: String?
  /// The password, sent only together with ``username``.
  public var password: String?
  /// The name of this machine in `EHLO`.
  public var clientName: String
  /// The timeout for one mail in seconds, from the connection to the server's last reply.
  public var timeoutSeconds: Int
  /// A PEM file with the certificates to trust instead of the system's; nil for the system's.
  public var authorityFile: String?

  /// Creates a server; the client authenticates when a user name is given.
  public init(
    host: String, port: Int, security: Security, username: String? = nil, password: String? = nil,
    clientName: String = "localhost", timeoutSeconds: Int = 20, authorityFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.username = username
    self.password = password
    self.clientName = clientName
    self.timeoutSeconds = timeoutSeconds
    self.authorityFile = authorityFile
  }
}

/// A client that sends complete mails by SMTP.
public final class SMTPClient: Sendable {
  private let server: MailServer
  private let url: String
  private let pool: OutboundPool

  /// - Throws: `invalidRequest` when the server's host, port or client name is invalid.
  public init(server: MailServer, pool: OutboundPool = .mail) throws(OutboundError) {
    guard Self.isHost(server.host), Self.isHost(server.clientName), (1...65_535).contains(server.port) else {
      throw OutboundError(.invalidRequest, "not a mail server: \(Self.printable(server.host)):\(server.port)")
    }
    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
    self.server = server
    url = "\(server.security == .tls ? "smtps" : "smtp")://\(host):\(server.port)/\(server.clientName)"
    self.pool = pool
  }

  /// Sends one mail, and waits until the server has accepted it.
  ///
  /// - Parameters:
  /// - sender: The envelope's sender address, to which bounces are sent.
  /// - recipient: The envelope's recipient address.
  /// - message: Headers and body (RFC 5322), with lines ended by CR LF. Dots at the beginning of lines are escaped by
  ///   this function.
  public func send(from sender: String, to recipient: String, message: [UInt8]) async throws(OutboundError) {
    guard Self.isAddress(sender), Self.isAddress(recipient) else {
      throw OutboundError(.invalidRequest, "an envelope address has an invalid character")
    }
    // The operator has configured the server, so it may have an internal address; without TLS it must be on this
    // machine.
    let isPlain = server.security == .none
    let policy = OutboundPolicy(
      trustedHosts: isPlain ? [] : [server.host.lowercased()], allowsPlainHTTP: isPlain,
      authorityFile: server.authorityFile)
    let transfer = Transfer(
      policy: policy, host: server.host.lowercased(), isPlain: isPlain, timeout: .seconds(server.timeoutSeconds),
      sizeBytesMax: OutboundLimits.responseSizeBytesMax, upload: message)
    let (server, url) = (server, url)
    let result: Result<Void, OutboundError> = await pool.run(transfer) {
      transfer.perform { handle in
        handle.set(CURLOPT_URL, url)
        handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        let level = server.security == .startTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        handle.set(CURLOPT_USE_SSL, Int(level.rawValue))
        if let username = server.username { handle.set(CURLOPT_USERNAME, username) }
        if let password = server.password { handle.set(CURLOPT_PASSWORD, password) }
        handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        handle.set(CURLOPT_MAIL_RCPT, ["<\(recipient)>"])
        handle.set(CURLOPT_UPLOAD, true)
        handle.set(size: CURLOPT_INFILESIZE_LARGE, message.count)
      } finish: { code, status in
        if code == CURLE_OK { return .success(()) }
        if [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_LOGIN_DENIED, CURLE_WEIRD_SERVER_REPLY].contains(code),
          status >= 400
        {
          // The server's message may contain the address, so only its code is reported.
          return .failure(OutboundError(.refused, "\(server.host) refused the mail with status \(status)"))
        }
        return .failure(transfer.error(code))
      }
    }
    try result.get()
  }

  /// Returns true for a valid host name or address.
  private static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }

  /// Returns true for one address that is safe in `MAIL FROM:<…>`: it has no line break, bracket or space.
  static func isAddress(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (3...254).contains(bytes.count), bytes.count(where: { $0 == UInt8(ascii: "@") }) == 1,
      bytes.first != UInt8(ascii: "@"), bytes.last != UInt8(ascii: "@")
    else { return false }
    let forbidden = Set("<>()[]\\,;:\" ".utf8)
    return text.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }
      && !bytes.contains(where: forbidden.contains)
  }

  private static func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(80).map { $0.value > 0x20 && $0.value < 0x7F ? Character($0) : "?" })
  }
}
