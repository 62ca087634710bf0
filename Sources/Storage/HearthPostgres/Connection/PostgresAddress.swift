import CPostgres
import HearthJournal

/// The address of a PostgreSQL server and the connection parameters: a URL in libpq's format, which may have several
/// hosts, a socket's folder, `sslmode` and certificates. Omitted parts come from libpq's own sources: `PGPASSFILE`,
/// `~/.pgpass`, `PGSSLROOTCERT` and so on.
///
/// Neither its description nor an error about it contains a password.
public struct PostgresAddress: Sendable, CustomStringConvertible {
  /// The parameters of the connection, by libpq's names.
  let parameters: [(key: String, value: String)]
  /// The hosts, ports, database and user, for messages.
  public let description: String

  /// Reads a URL.
  ///
  /// - Parameter url: A URL such as `postgres://user@host:5432/database?sslmode=verify-full`.
  /// - Throws: `.notAJournal` when libpq cannot read it, or when an unescaped password makes it ambiguous.
  public init(_ url: String) throws(JournalError) {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), !url.utf8.contains(0) else {
      throw JournalError(.notAJournal, "the address of PostgreSQL must be a URL that begins with postgres://")
    }
    try Self.requireOneReading(url)
    var parameters = try Self.parse(url)
    func value(_ key: String) -> String? { parameters.last { $0.key == key }?.value }
    description = Self.describe(value)
    // Defaults for these parameters, unless the URL sets them.
    for (key, usual) in [
      ("fallback_application_name", "hearth"), ("connect_timeout", "\(PostgresLimits.connectSeconds)"),
      ("target_session_attrs", "read-write"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
      ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ] where value(key) == nil { parameters.append((key, usual)) }
    // The encoding is set in any case, because the statements require it.
    parameters.removeAll { $0.key == "client_encoding" }
    parameters.append(("client_encoding", "UTF8"))
    self.parameters = parameters
  }

  /// Refuses a password with `@` or `/` that is not written as `%40` or `%2F`: it would be read as a part of the host
  /// or port, which error messages contain.
  private static func requireOneReading(_ url: String) throws(JournalError) {
    let rest = url.drop { $0 != ":" }.dropFirst(3)
    guard let at = rest.firstIndex(of: "@") else { return }
    guard at == rest.lastIndex(of: "@"), !rest[..<at].contains(where: { "/?#".contains($0) }) else {
      throw JournalError(
        .notAJournal,
        "in the address of PostgreSQL, write @, /, ? and # in names and passwords as %40, %2F, %3F and "
          + "%23, or better, put the password in a file and name it with PGPASSFILE")
    }
  }

  /// True when the URL itself contains a password.
  public var hasPassword: Bool {
    parameters.contains { ["password", "sslpassword"].contains($0.key) && !$0.value.isEmpty }
  }

  private static func parse(_ url: String) throws(JournalError) -> [(key: String, value: String)] {
    // The message of libpq is not repeated: it quotes parts of the URL, which may be parts of a password.
    guard let options = PQconninfoParse(url, nil) else {
      throw JournalError(.notAJournal, "libpq cannot read the address of PostgreSQL")
    }
    defer { PQconninfoFree(options) }
    var found: [(key: String, value: String)] = []
    var option = options
    while let key = option.pointee.keyword {
      if let value = option.pointee.val { found.append((String(cString: key), String(cString: value))) }
      option += 1
    }
    return found
  }

  private static func describe(_ value: (String) -> String?) -> String {
    let host = value("host") ?? value("hostaddr") ?? "the local socket"
    var text = host
    if let port = value("port") { text += ":" + port }
    text += "/" + (value("dbname") ?? "")
    if let user = value("user") { text = user + "@" + text }
    return text
  }

  /// Returns a message of libpq or the server with the password removed.
  func scrubbed(_ message: String) -> String {
    var text = message.split { $0.isNewline }.joined(separator: "; ")
    for secret in parameters where ["password", "sslpassword"].contains(secret.key) && !secret.value.isEmpty {
      text = text.split(separator: secret.value, omittingEmptySubsequences: false).joined(separator: "…")
    }
    return text
  }
}
