import Glibc
import HearthDatabase
import HearthProgram
import HearthServer
import HearthSystem
import HearthTree

/// How a data folder was last served: those flags that commands on the stopped folder have to go by, so that tokens are for
/// the right project and hashes have the configured cost.
///
/// Kept as `settings.json` in the folder; it holds no secret.
struct FolderSettings: Equatable {
  /// Nil is the default project.
  var projectID: String?
  var publicURL: String?
  /// As an absolute path.
  var authConfigPath: String?
  /// Names of plugins; nil when the file, or the mode, says.
  var signIn: [String]?
  /// Served by `hearth dev`.
  var isDevelopment = false
  /// The place where the server was last reached.
  var url: String?
  /// The database of a request that names none; nil is the standard one.
  var defaultNamespace: String?
  /// The certificate's files, as absolute paths; nil without TLS.
  var certificatePath: String?
  var certificateKeyPath: String?
  /// The rules file, as an absolute path: databases without rules of their own follow it. Nil without one.
  var rulesPath: String?
  /// What of the past is kept. A command that opens the folder keeps as much.
  var history = HistoryRetention.none
  /// True when it is kept who made each change.
  var recordsAuthors = false
  /// Where the journals are, as a URL; nil is the folder.
  var journal: String?
  /// The thresholds below which room on the disk is little.
  var space = SpaceThresholds()

  init() {}

  /// The place where the journals are.
  ///
  /// - Throws: `ServerError` when the URL cannot be read.
  var journalPlace: JournalPlace {
    get throws { try journal.map { try JournalPlace(url: $0) } ?? .dataFolder }
  }

  private static func path(in dataDirectory: String) -> String { dataDirectory + "/settings.json" }

  /// The settings in that folder; the defaults when there are none, or they cannot be read.
  static func read(in dataDirectory: String) -> FolderSettings {
    var settings = FolderSettings()
    guard let text = try? TextFile.read(path(in: dataDirectory)), let json = JSON(parsing: text.utf8) else {
      return settings
    }
    settings.projectID = json["projectID"]?.string
    settings.publicURL = json["publicURL"]?.string
    settings.authConfigPath = json["authConfig"]?.string
    settings.signIn = json["signIn"]?.array?.compactMap(\.string)
    settings.isDevelopment = json["isDevelopment"]?.bool ?? false
    settings.url = json["url"]?.string
    settings.defaultNamespace = json["defaultNamespace"]?.string
    settings.certificatePath = json["certificate"]?.string
    settings.certificateKeyPath = json["certificateKey"]?.string
    settings.rulesPath = json["rules"]?.string
    settings.journal = json["journal"]?.string
    if let age = json["historyMilliseconds"]?.int, let bytes = json["historyBytes"]?.int {
      settings.history = HistoryRetention(ageMilliseconds: age, sizeBytesMax: Int(clamping: bytes))
    }
    settings.recordsAuthors = json["historyWho"]?.bool ?? false
    settings.space = SpaceThresholds(
      warnBytes: json["lowSpaceWarn"]?.int.map { Int(clamping: $0) },
      stopBytes: json["lowSpaceStop"]?.int.map { Int(clamping: $0) })
    return settings
  }

  func write(in dataDirectory: String) throws {
    try TextFile.replace(Self.path(in: dataDirectory), json.text(pretty: true) + [UInt8(ascii: "\n")], mode: 0o600)
  }

  private var json: JSON {
    var members: JSON = [:]
    for (name, text) in [
      ("projectID", projectID), ("publicURL", publicURL), ("authConfig", authConfigPath), ("url", url),
      ("defaultNamespace", defaultNamespace), ("certificate", certificatePath), ("certificateKey", certificateKeyPath),
      ("rules", rulesPath), ("journal", journal),
    ] {
      if let text { members[name] = .string(text) }
    }
    if let signIn { members["signIn"] = .array(signIn.map { .string($0) }) }
    members["isDevelopment"] = .bool(isDevelopment)
    if history != .none {
      members["historyMilliseconds"] = .int(history.ageMilliseconds)
      members["historyBytes"] = .int(Int64(history.sizeBytesMax))
    }
    for (name, bytes) in [("lowSpaceWarn", space.warnBytes), ("lowSpaceStop", space.stopBytes)] {
      if let bytes { members[name] = .int(Int64(bytes)) }
    }
    if recordsAuthors { members["historyWho"] = true }
    return members
  }

  /// These settings, overridden by the given flags.
  func with(_ flags: some AccountsFlags) -> FolderSettings {
    var settings = self
    if let project = flags.project { settings.projectID = project }
    if let url = flags.publicUrl { settings.publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url }
    if let path = flags.authConfig {
      settings.authConfigPath = TextFile.absolute(path)
      // Another file has a project and ways to sign in of its own.
      settings.projectID = flags.project
      settings.signIn = nil
    }
    if let names = flags.signIn { settings.signIn = Self.names(names) }
    return settings
  }

  /// `custom-token,password` as the names of plugins: `customToken`, `password`.
  private static func names(_ list: String) -> [String] {
    list == "none" ? [] : list.split(separator: ",").map(BuiltInPlugins.name(flagName:))
  }
}
