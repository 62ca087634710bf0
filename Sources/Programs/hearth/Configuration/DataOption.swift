import ArgumentParser
import HearthAccounts
import HearthCrypto
import HearthProgram
import HearthServer
import HearthSystem

/// The option for the data folder, shared by all commands of one deployment.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp("The data folder: databases, keys and secrets. (default: data)", valueName: "dir"))
  var given: String?

  /// The path of the folder.
  var data: String { given ?? "data" }

  /// Opens the keys of the folder. Keys that an interrupted start left out are created; a folder without a server's
  /// first start is an error, because a mistyped name would lead to tokens that no server accepts.
  func openKeys() throws -> KeyStore { try Self.keys(in: data) }

  /// Opens the keys of a folder that another option names.
  static func keys(in data: String) throws -> KeyStore {
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard FileVersion(of: folder) != nil else {
      throw ValidationError("\(data) holds no keys: start a server with --data \(data) once, or name its folder.")
    }
    return try KeyStore(directory: folder)
  }

  /// Creates the folder and its keys, as a server's first start does, when it is empty: for commands that fill a new
  /// one.
  ///
  /// - Returns: True when it was created; false when the folder has content, which stays unchanged.
  func makeIfEmpty() throws -> Bool {
    guard Folder.names(in: data).isEmpty else { return false }
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard AtomicFile.makeFolder(folder) else { throw TextFile.Failure("make a folder in", data) }
    _ = try KeyStore(directory: folder)
    return true
  }

  /// Returns the project of the folder's tokens: that of the option, or that of the last run.
  func projectID(_ option: ProjectOption) -> String {
    option.project ?? FolderSettings.read(in: data).projectID ?? AccountsConfiguration.projectIDDefault
  }
}
