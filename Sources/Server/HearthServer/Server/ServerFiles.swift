import HearthSystem

/// The small files of a server beside its journals: the settings of databases, the versions of their rules, and
/// triggers.
struct ServerFiles: Sendable {
  /// The settings of each database.
  let settings: any SmallFiles
  /// The versions of each database's rules.
  let versions: any SmallFiles
  /// The triggers of all databases.
  let triggers: any SmallFiles
  /// The folder of triggers, by which a copy of a data folder is told from the original; nil when nodes share them.
  let triggersHome: String?

  /// The files of a data folder.
  init(_ directory: DataDirectory) {
    settings = LocalFiles(folder: directory.settingsPath)
    versions = LocalFiles(folder: directory.versionsPath)
    triggers = LocalFiles(folder: directory.triggersPath)
    triggersHome = directory.triggersPath
  }

  /// The files that a cluster's nodes share.
  init(_ shared: SharedFiles) {
    settings = FilesWithin(DataDirectory.settingsName, of: shared)
    versions = FilesWithin(DataDirectory.versionsName, of: shared)
    triggers = FilesWithin(DataDirectory.triggersName, of: shared)
    triggersHome = nil
  }
}
