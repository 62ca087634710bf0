import Foundation
import HearthDigest
import HearthSync

/// The folder of one database on this disk: one file for each user, and one for nobody.
struct RepositoryFolder: Sendable {
  private let url: URL

  /// - Parameter directory: the app's.
  init(_ directory: URL, _ address: DatabaseAddress) {
    let name = Self.name(address.authority + " " + address.namespace)
    url = directory.appendingPathComponent("databases").appendingPathComponent(name)
  }

  /// The data of a user; nil, with a line in the log, when the file cannot be used.
  func store(of user: String?) -> (any SyncStore)? {
    let file = user.map { "user-" + Self.name($0) } ?? "nobody"
    let path = url.appendingPathComponent(file + ".sqlite").path
    do {
      return try DiskStore(path: path) { DatabaseLog.write(.warning, $0) }
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
