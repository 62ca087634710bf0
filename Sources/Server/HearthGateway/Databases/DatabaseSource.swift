import HearthDatabase
import HearthEngine
import NIOCore

/// Where clients' databases come from: by name, opened or made when they must be. The server has one.
package protocol DatabaseSource: Sendable {
  /// The database that is always there.
  var defaultNamespace: String { get }

  /// The database of a request that names none: ``defaultNamespace``, or another one that exists.
  var unnamedNamespace: String { get }

  /// The operator said which database that is.
  var isDefaultNamed: Bool { get }

  /// Databases that exist, open or not, in order of name.
  var names: [String] { get }

  var openDatabases: [Database] { get }

  /// The state that a database begins with.
  var firstState: Published { get }

  /// The database when it is open already, which is so for nearly every request.
  func opened(_ name: String) -> Database?

  /// False when ``database(_:_:on:)`` is certain to fail.
  func canOpen(_ name: String) -> Bool

  /// Returns true when there is such a database. It need not be open.
  func exists(_ name: String) -> Bool

  /// The database, opened or made when it must be. Fails with ``DatabaseProblem``.
  func database(_ name: String, _ creation: DatabaseCreation, on loop: any EventLoop) -> EventLoopFuture<Database>

  /// Closes a database and removes all that is kept of it, for good: once this begins to, a crash does not stop it. Nobody
  /// gets the database meanwhile, nor makes another one of the name.
  ///
  /// - Parameter forget: called when nothing of it is left, before the name is free again.
  func remove(_ name: String, _ forget: @escaping @Sendable () -> Void) async throws(DatabaseRemovalProblem)
}

/// The reason why there is no database to be had.
package enum DatabaseProblem: Error, Equatable {
  /// No legal name, or none that exists and none that may be made now.
  case unknown
  /// It does not exist, and would be made by a use that may make it.
  case unmade
  /// There is one of the name already, and it was to be made.
  case exists
  case tooMany
  /// The journal cannot be opened, or the server is stopping; the text is for the operator.
  case unavailable(String)
}

/// The reason why a database is not removed.
package enum DatabaseRemovalProblem: Error, Equatable {
  /// There is none of the name.
  case unknown
  /// The server always has it.
  case isDefault
  /// It is being opened or removed.
  case isBusy
  /// Nothing was done; the text is for the operator.
  case failed(String)
  /// It is closed, and will be removed at the next start; the text is for the operator.
  case isUnfinished(String)
}

/// How the first use of a name goes.
package enum DatabaseCreation: Sendable {
  /// By a read nothing is made: any page can have a browser send one, by an image's address.
  case never
  /// By a write or a listen, as the server's mode says.
  case byMode
  /// An administrator asked for it.
  case allowed
  /// An administrator asked for one that is not there yet.
  case new
}
