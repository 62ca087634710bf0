import Glibc
import HearthDatabase
import HearthPlugin
import HearthProgram
import HearthServer
import HearthSystem
import HearthTree

/// The flags of a data folder's last run that commands on the stopped folder depend on, so that tokens are for the
/// right project and hashes have the configured cost.
///
/// Kept as `settings.json` in the folder; it holds no secret.
struct FolderSettings: Equatable {
  /// The project; nil for the default one.
  var projectID: String?
  var publicURL: String?
  /// The configuration file as an absolute path.
  var authConfigPath: String?
  /// The names of plugins; nil when the file, or the mode, decides.
  var signIn: [String]?
  /// True when the folder is served by `hearth dev`.
  var isDevelopment = false
  /// The URL at which the server was last reached.
  var url: String?
  /// The database of a request that names none; nil for the standard one.
  var defaultNamespace: String?
  /// The certificate's files, as absolute paths; nil without TLS.
  var certificatePath: String?
  var certificateKeyPath: String?
  /// The rules file as an absolute path, which databases without rules of their own use; nil when there is none.
  var rulesPath: String?
  /// The retention of history, which commands that open the folder keep up.
  var history = HistoryRetention.none
  /// True when the author of each change is recorded.
  var recordsAuthors = false
  /// The URL of the journals; nil for the folder.
  var journal: String?
  /// The memory for data of large databases in bytes; nil when all data is in memory.
  var cacheBytes: Int?
  /// The thresholds for low disk space.
  var space = SpaceThresholds()
  /// The trusted issuers of flags. Not kept, because only a running server needs them.
  var trustedIssuers = TrustedIssuers()

  init() {}

  /// The location of the journals.
  ///
  /// - Throws: `ServerError` when the URL is invalid.
  var journalLocation: JournalLocation {
    get throws { try journal.map { try JournalLocation(url: $0) } ?? .dataFolder }
  }

  private static func path(in dataDirectory: String) -> String { dataDirectory + "/settings.json" }

  /// Reads the settings in that folder; the defaults when they are missing or unreadable.
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
    settings.cacheBytes = json["cacheSize"]?.int.map { Int(clamping: $0) }
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
    for (name, bytes) in [
      ("lowSpaceWarn", space.warnBytes), ("lowSpaceStop", space.stopBytes), ("cacheSize", cacheBytes),
    ] {
      if let bytes { members[name] = .int(Int64(bytes)) }
    }
    if recordsAuthors { members["historyWho"] = true }
    return members
  }

  /// Returns these settings, overridden by the given flags.
  func with(_ flags: some AccountsFlags) -> FolderSettings {
    var settings = self
    if let project = flags.project { settings.projectID = project }
    if let url = flags.publicUrl { settings.publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url }
    if let path = flags.authConfig {
      settings.authConfigPath = TextFile.absolute(path)
      // Another file has its own project and sign-in methods.
      settings.projectID = flags.project
      settings.signIn = nil
    }
    if let names = flags.signIn { settings.signIn = Self.names(names) }
    return settings
  }

  /// Returns the plugins' names for a list such as `custom-token,password`: `customToken`, `password`.
  private static func names(_ list: String) -> [String] {
    list == "none" ? [] : list.split(separator: ",").map(BuiltInPlugins.name(flagName:))
  }
}
