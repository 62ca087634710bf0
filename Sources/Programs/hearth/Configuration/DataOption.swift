import ArgumentParser
import Glibc
import HearthAccounts
import HearthCommandLine
import HearthCrypto
import HearthProgram
import HearthServer
import HearthSystem

/// The option for the data folder of a command beside a server. ``ServedFolderOption`` is that of the server.
struct DataOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp(
      """
      The data folder. If not given: HEARTH_DATA, the server of hearth dev in this folder, ./data, or the folder of the \
      installed package.
      """, valueName: "dir"))
  var given: String?

  /// Returns the path of the folder.
  ///
  /// - Throws: `TargetProblem` when it is not clear which one is meant.
  func path() throws -> String { try CommandTarget.find(folder: given, canBeServer: false).folder }

  /// Opens the keys of the folder. Keys that an interrupted start left out are created; a folder without a server's
  /// first start is an error, because a mistyped name would lead to tokens that no server accepts.
  func openKeys() throws -> KeyStore { try Self.keys(in: try path()) }

  /// Opens the keys of a folder that another option names.
  static func keys(in data: String) throws -> KeyStore {
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard FileVersion(of: folder) != nil else {
      if errno == EACCES { throw ValidationError(refusal(of: data)) }
      throw ValidationError(
        """
        \(TextFile.absolute(data)) is not a data folder: it contains no keys. Start a server there \
        (hearth dev --data \(data)), or name another folder with --data
        """)
    }
    return try KeyStore(directory: folder)
  }

  /// Returns the message for a folder that this user cannot open.
  private static func refusal(of data: String) -> String {
    var status = stat()
    let owner = stat(data, &status) == 0 ? UserName.name(of: status.st_uid) : "its owner"
    return "this user cannot open \(data): run the command as its owner (sudo -u \(owner) hearth …)"
  }

  /// Creates the folder and its keys, as a server's first start does, when it is empty: for commands that fill a new
  /// one.
  ///
  /// - Returns: True when it was created; false when the folder has content, which stays unchanged.
  func makeIfEmpty() throws -> Bool {
    let data = try path()
    guard Folder.names(in: data).isEmpty else { return false }
    let folder = HearthServer.Options.keysDirectory(of: data)
    guard AtomicFile.makeFolder(folder) else { throw TextFile.Failure("make a folder in", data) }
    _ = try KeyStore(directory: folder)
    return true
  }

  /// Returns the project of the folder's tokens: that of the option, or that of the last run.
  func projectID(_ option: ProjectOption) throws -> String {
    try option.project ?? FolderSettings.read(in: path()).projectID ?? AccountsConfiguration.projectIDDefault
  }
}

/// The option for the data folder of a server.
struct ServedFolderOption: ParsableArguments {
  @Option(
    name: .customLong("data"),
    help: ArgumentHelp("The data folder: databases, keys and secrets. (default: data)", valueName: "dir"))
  var given: String?

  /// The path of the folder.
  var path: String { given ?? CommandTargetDefaults.folder }
}
