import Glibc
import HearthSystem

/// The folder with all of a server's files: `keys/`, the accounts' journal, one for each database in `databases/`, the
/// databases' settings in `settings/`, the versions of their rules in `rules/`, all triggers in `triggers/`, and
/// unfinished erasure orders in `erasures/`.
struct DataDirectory: Sendable {
  let path: String

  var keysPath: String { HearthServer.Options.keysDirectory(of: path) }
  var databasesPath: String { path + "/databases" }
  /// The folder of settings; made with the first setting.
  var settingsPath: String { "\(path)/\(Self.settingsName)" }
  /// The folder of rules versions; made with the first version.
  var versionsPath: String { "\(path)/\(Self.versionsName)" }

  /// The folder of erasure orders; made with the first erasure.
  var erasuresPath: String { path + "/erasures" }

  /// The folder of triggers; made with the first trigger.
  var triggersPath: String { "\(path)/\(Self.triggersName)" }

  static let settingsName = "settings"
  static let versionsName = "rules"
  static let triggersName = "triggers"

  /// Makes the missing folders, readable by the owner alone.
  func create() throws(ServerError) {
    for folder in [path, keysPath, databasesPath] { try Self.makeFolder(folder) }
  }

  private static func makeFolder(_ path: String) throws(ServerError) {
    guard AtomicFile.makeFolder(path) else { throw failure("cannot create", path) }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw failure("cannot use", path) }
  }

  private static func failure(_ what: String, _ path: String) -> ServerError {
    ServerError(.storage, "\(what) the folder \(path): \(String(cString: strerror(errno)))")
  }
}
