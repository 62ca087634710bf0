import Foundation
import HearthBytes
import HearthSync

/// The folder of one database on this disk: one file for each user, and one for signed-out use. Confined to the
/// repository's queue.
final class RepositoryFolder {
  private let url: URL
  /// The open stores: each file is opened only once at a time.
  private var open: [String: WeakStore] = [:]

  private struct WeakStore {
    weak var store: DiskStore?
  }

  /// Creates the folder of one app, in a directory that several apps and programs may share.
  ///
  /// - Parameters:
  /// - directory: The app's storage directory.
  /// - app: The app's name.
  init(_ directory: URL, _ address: DatabaseAddress, app: String) {
    let databases = directory.appendingPathComponent("databases")
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    let database = address.authority + " " + address.namespace
    url = databases.appendingPathComponent(Self.name([program, app, database].joined(separator: "\n")))
    Self.adopt(databases.appendingPathComponent(Self.name(database)), as: url)
    #if canImport(Darwin)
      Self.protect(databases)
    #endif
  }

  #if canImport(Darwin)
    /// Leaves a folder with copies of the server's data out of backups, and lets nobody read it before the device was
    /// unlocked once.
    private static func protect(_ folder: URL) {
      let protection = [FileAttributeKey.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication]
      try? FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try? FileManager.default.setAttributes(protection, ofItemAtPath: folder.path)
      var (folder, values) = (folder, URLResourceValues())
      values.isExcludedFromBackup = true
      try? folder.setResourceValues(values)
    }
  #endif

  /// Takes over the folder that all apps and programs shared in version 1.0, with its pending writes. The first app
  /// that calls this gets the folder.
  private static func adopt(_ shared: URL, as url: URL) {
    guard !FileManager.default.fileExists(atPath: url.path) else { return }
    try? FileManager.default.moveItem(at: shared, to: url)
  }

  /// Returns the store of a user; nil, with a line in the log, when the file cannot be used.
  func store(of user: String?) -> (any SyncStore)? {
    let file = user.map { "user-" + Self.name($0) } ?? "nobody"
    if let store = open[file]?.store { return store }
    let path = url.appendingPathComponent(file + ".sqlite").path
    do {
      let store = try DiskStore(path: path) { DatabaseLog.write(.warning, $0) }
      open[file] = WeakStore(store: store)
      return store
    } catch {
      DatabaseLog.write(.warning, "nothing is kept on disk: \(error)")
      return nil
    }
  }

  /// Returns a valid file name for any text.
  private static func name(_ text: String) -> String {
    String(SHA1.base64Digest(of: text).map { $0 == "/" ? "_" : $0 == "+" ? "-" : $0 })
  }
}
