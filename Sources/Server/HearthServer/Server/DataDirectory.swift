import Glibc
import HearthSystem

/// The folder that holds everything a server keeps: `keys/`, the accounts' journal, one for each database in `databases/`,
/// what was set for it in `settings/`, the versions of its rules in `rules/`, the triggers of all in `triggers/`, and orders
/// to erase people that are not done yet in `erasures/`.
struct DataDirectory: Sendable {
  let path: String

  var keysPath: String { HearthServer.Options.keysDirectory(of: path) }
  var databasesPath: String { path + "/databases" }
  /// Made with the first setting.
  var settingsPath: String { "\(path)/\(Self.settingsName)" }
  /// Made with the first version.
  var versionsPath: String { "\(path)/\(Self.versionsName)" }

  /// Made with the first erasure.
  var erasuresPath: String { path + "/erasures" }

  /// Made with the first trigger.
  var triggersPath: String { "\(path)/\(Self.triggersName)" }

  static let settingsName = "settings"
  static let versionsName = "rules"
  static let triggersName = "triggers"

  /// Makes what is missing, readable by the owner alone.
  func create() throws(ServerError) {
    for folder in [path, keysPath, databasesPath] { try Self.makeFolder(folder) }
  }

  private static func makeFolder(_ path: String) throws(ServerError) {
    guard WholeFile.makeFolder(path) else { throw failure("cannot make", path) }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw failure("cannot use", path) }
  }

  private static func failure(_ what: String, _ path: String) -> ServerError {
    ServerError(.storage, "\(what) the folder \(path): \(String(cString: strerror(errno)))")
  }
}
