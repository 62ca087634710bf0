import Foundation
import HearthSync
import HearthTree

/// A location in a database, for reads, writes and references to other locations.
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {
  // Unchecked because the superclass is; there are only constants.

  init(_ database: Database, _ path: Path) { super.init(database, path) }

  /// Returns the location at a path below: a key, or keys with slashes between them. `.info` is valid only below the
  /// root.
  ///
  /// A path with a forbidden character ends the program; for strings from users, use ``child(validating:)``.
  public func child(_ pathString: String) -> DatabaseReference {
    DatabaseArgumentError.trapping { try child(validating: pathString) }
  }

  /// Returns the location at a path below, for strings from users.
  ///
  /// - Throws: ``DatabaseArgumentError`` when the text is empty or has one of `.`, `#`, `$`, `[`, `]` or a control
  ///   character.
  public func child(validating pathString: String) throws -> DatabaseReference {
    let below =
      path.isRoot
      ? try Validation.rootPath(pathString, from: "child:") : try Validation.path(pathString, from: "child:")
    return self.below(below)
  }

  func below(_ path: Path) -> DatabaseReference { DatabaseReference(database, self.path.appending(path)) }

  /// Returns a new child, whose key sorts after all keys generated earlier: 20 characters that begin with the time.
  public func childByAutoId() -> DatabaseReference {
    DatabaseArgumentError.trapping { try Validation.writable(path, from: "childByAutoId:") }
    return below(Path([Key(database.nextPushID())]))
  }

  /// The parent location; nil for the root.
  public var parent: DatabaseReference? {
    path.isRoot ? nil : DatabaseReference(database, path.prefix(path.count - 1))
  }

  /// The root of the database.
  public var root: DatabaseReference { DatabaseReference(database, .root) }

  /// The last key of the path; nil for the root.
  public var key: String? { path.keys.last?.text }

  /// The URL of the location.
  public var url: String { database.url(of: path) }

  /// Returns the URL of the location.
  public func description() -> String { url }

  /// Disconnects all databases until ``goOnline()``. Local writes still raise events, and are sent later.
  public class func goOffline() { for database in Database.all { database.goOffline() } }

  /// Connects all databases again.
  public class func goOnline() { for database in Database.all { database.goOnline() } }
}
