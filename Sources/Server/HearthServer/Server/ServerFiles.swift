import HearthSystem

/// The small files of a server beside its journals: the settings of databases, the versions of their rules, and
/// triggers.
struct ServerFiles: Sendable {
  /// The settings of each database.
  let settings: any SmallFileStore
  /// The versions of each database's rules.
  let versions: any SmallFileStore
  /// The triggers of all databases.
  let triggers: any SmallFileStore
  /// The folder of triggers, by which a copy of a data folder is told from the original; nil when nodes share them.
  let triggersFolder: String?

  /// Creates the files of a data folder.
  init(_ directory: DataDirectory) {
    settings = LocalFileStore(folder: directory.settingsPath)
    versions = LocalFileStore(folder: directory.versionsPath)
    triggers = LocalFileStore(folder: directory.triggersPath)
    triggersFolder = directory.triggersPath
  }

  /// Creates the files that a cluster's nodes share.
  init(_ shared: SharedFiles) {
    settings = SubfolderFileStore(DataDirectory.settingsName, of: shared)
    versions = SubfolderFileStore(DataDirectory.versionsName, of: shared)
    triggers = SubfolderFileStore(DataDirectory.triggersName, of: shared)
    triggersFolder = nil
  }
}
