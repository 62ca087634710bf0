import ArgumentParser
import HearthAccounts
import HearthCrypto
import HearthProgram
import HearthServer
import HearthSystem

/// The folder that all commands of one deployment share.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp("The data folder: databases, keys and secrets. (default: data)", valueName: "dir"))
  var given: String?

  /// The folder's path.
  var data: String { given ?? "data" }

  /// The keys that a server keeps in this folder. What it was ended too early to make is made here; a folder that no
  /// server was started in is an error, as a mistyped name would become tokens that no server accepts.
  func openKeys() throws -> KeyStore { try Self.keys(in: data) }

  /// The same of a folder that another option names.
  static func keys(in data: String) throws -> KeyStore {
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard FileVersion(of: folder) != nil else {
      throw ValidationError("\(data) holds no keys: start a server with --data \(data) once, or name its folder.")
    }
    return try KeyStore(directory: folder)
  }

  /// Makes the folder and its keys, as a server's first start does, where there is nothing: for commands that fill a new one.
  ///
  /// - Returns: whether it was made; false when the folder holds something, which stays as it is.
  func makeIfEmpty() throws -> Bool {
    guard Folder.names(in: data).isEmpty else { return false }
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard WholeFile.makeFolder(folder) else { throw TextFile.Failure("make a folder in", data) }
    _ = try KeyStore(directory: folder)
    return true
  }

  /// Returns the project of the folder's tokens: that of the option, or that of the last run.
  func projectID(_ option: ProjectOption) -> String {
    option.project ?? FolderSettings.read(in: data).projectID ?? AccountsConfiguration.projectIDDefault
  }
}
