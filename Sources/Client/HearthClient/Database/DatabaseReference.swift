import Foundation
import HearthSync
import HearthTree

/// A place in a database: to read from, to write to, and to get to other places from.
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {
  // Unchecked because the superclass is; there are constants only.

  init(_ database: Database, _ path: Path) { super.init(database, path) }

  /// The place at a path below: a key, or keys with slashes between them. Only the root leads to `.info`.
  ///
  /// A path with a forbidden character ends the program; where the text comes from outside, use ``child(validating:)``.
  public func child(_ pathString: String) -> DatabaseReference {
    DatabaseArgumentError.trapping { try child(validating: pathString) }
  }

  /// The place at a path below, for texts that come from outside.
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

  /// The place above; nil for the root.
  public var parent: DatabaseReference? {
    path.isRoot ? nil : DatabaseReference(database, path.prefix(path.count - 1))
  }

  /// The root of the database.
  public var root: DatabaseReference { DatabaseReference(database, .root) }

  /// The last part of the path; nil for the root.
  public var key: String? { path.keys.last?.text }

  /// The address of the place.
  public var url: String { database.url(of: path) }

  /// The address of the place.
  public func description() -> String { url }

  /// Disconnects all databases and keeps them disconnected until ``goOnline()``. Local writes go on to raise events, and
  /// are sent later.
  public class func goOffline() { for database in Database.all { database.goOffline() } }

  /// Connects all databases again.
  public class func goOnline() { for database in Database.all { database.goOnline() } }
}
