import HearthDatabase
import HearthEngine
import NIOCore

/// A source of clients' databases by name, which opens or makes them when necessary. The server has one.
package protocol DatabaseSource: Sendable {
  /// The name of the database that always exists.
  var defaultNamespace: String { get }

  /// The name of the database of a request that names none: ``defaultNamespace``, or another one that exists.
  var fallbackNamespace: String { get }

  /// True when the operator chose the default database.
  var isDefaultNamed: Bool { get }

  /// The existing databases, open or not, in order of name.
  var names: [String] { get }

  var openDatabases: [Database] { get }

  /// The initial state of a database.
  var firstState: DatabaseState { get }

  /// Returns the database when it is open already, as for nearly every request.
  func opened(_ name: String) -> Database?

  /// Returns false when ``database(_:_:on:)`` is certain to fail.
  func canOpen(_ name: String) -> Bool

  /// Returns true when the database exists. It need not be open.
  func exists(_ name: String) -> Bool

  /// Returns the database, and opens or makes it when necessary. Fails with ``DatabaseProblem``.
  func database(_ name: String, _ creation: DatabaseCreation, on loop: any EventLoop) -> EventLoopFuture<Database>

  /// Closes a database and deletes all its files, for good: once it begins, a crash does not stop it. Meanwhile no
  /// client gets the database, nor can a new one of the name be made.
  ///
  /// - Parameter forget: called when all files are deleted, before the name is free again.
  func remove(_ name: String, _ forget: @escaping @Sendable () -> Void) async throws(DatabaseRemovalProblem)
}

/// The reason why a database is unavailable.
package enum DatabaseProblem: Error, Equatable {
  /// The name is not valid, or the database does not exist and cannot be made now.
  case unknown
  /// The database does not exist; an operation that may make it would.
  case notCreated
  /// A database of the name to be made exists already.
  case exists
  case tooMany
  /// The journal cannot be opened, or the server is stopping; the text is for the operator.
  case unavailable(String)
}

/// The reason why a database was not removed.
package enum DatabaseRemovalProblem: Error, Equatable {
  /// The database does not exist.
  case unknown
  /// The database is the default one, which the server always has.
  case isDefault
  /// The database is being opened or removed.
  case isBusy
  /// The removal has not begun; the text is for the operator.
  case failed(String)
  /// The database is closed, and its removal continues at the next start; the text is for the operator.
  case isUnfinished(String)
}

/// The treatment of a name whose database does not exist.
package enum DatabaseCreation: Sendable {
  /// The name of a read, which makes no database: any page can have a browser send one, by an image's address.
  case never
  /// The name of a write or a listen, which makes a database if the server's mode allows it.
  case byMode
  /// The name of an administrator's request, which makes a database.
  case allowed
  /// The name of an administrator's request, which makes a database and fails when it exists.
  case new
}
