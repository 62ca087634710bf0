import Foundation
import HearthBytes
import HearthSync

/// The folder of one database on this disk: one file for each user, and one for nobody. Belongs to the repository's queue.
final class RepositoryFolder {
  private let url: URL
  /// Stores that somebody still uses: a file is open once at a time.
  private var open: [String: WeakStore] = [:]

  private struct WeakStore {
    weak var store: DiskStore?
  }

  /// - Parameter directory: the app's.
  init(_ directory: URL, _ address: DatabaseAddress) {
    let name = Self.name(address.authority + " " + address.namespace)
    url = directory.appendingPathComponent("databases").appendingPathComponent(name)
  }

  /// The data of a user; nil, with a line in the log, when the file cannot be used.
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

  /// A name for a file, without slashes, whatever the text has.
  private static func name(_ text: String) -> String {
    String(SHA1.base64Digest(of: text).map { $0 == "/" ? "_" : $0 == "+" ? "-" : $0 })
  }
}
