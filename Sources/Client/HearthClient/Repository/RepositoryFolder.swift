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
  }

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
