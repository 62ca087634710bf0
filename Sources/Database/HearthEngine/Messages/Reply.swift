import HearthTree

/// The answer to one request.
public enum Reply: Sendable {
  /// Done; nothing to tell.
  case ok

  /// A listen is there. False: its order has no index in the rules.
  case listening(isIndexed: Bool)

  /// What a `get` with a query found, still to be put together.
  case result(QueryResult)

  /// What a `get` found; ``Node/empty`` for nothing.
  case value(Node)

  /// A write is durable. The node is what is at the operation's path after it, server values filled in.
  case written(Node)

  /// The expected hash did not match, nothing was written. The node is what is there.
  case stale(Node)

  /// It was not done, or nobody knows.
  case failure(Failure)

  /// True when it says that something was changed, or may have been.
  package var isDone: Bool {
    switch self {
    case .ok, .written: true
    case .listening, .result, .value, .stale, .failure: false
    }
  }
}

/// The reason why a request was not done. Two failures are equal when their codes are.
public struct Failure: Error, Sendable, Equatable {
  /// The closed list of codes. The texts are for logs and are never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The rules do not allow it.
    case permissionDenied = "permission-denied"
    /// A path that cannot be addressed.
    case invalidPath = "invalid-path"
    /// A value that cannot be stored there.
    case invalidData = "invalid-data"
    /// The change is larger than one write may be.
    case writeTooBig = "write-too-big"
    /// The connection holds as many listens as it may.
    case tooManyListens = "too-many-listens"
    /// A `get` asks for an order that the rules declare no index for.
    case indexNotDefined = "index-not-defined"
    /// The connection has asked for as many changes at its end as it may.
    case tooManyOnDisconnects = "too-many-on-disconnects"
    /// The connection is not known, or is gone.
    case unknownConnection = "unknown-connection"
    /// The database takes no requests at the moment. Nothing was done.
    case unavailable = "unavailable"
    /// There is no room on the disk, or the storage does not answer. Nothing was done; it may be tried again later.
    case noSpace = "no-space"
    /// What was asked may have been done, or may still be: nobody can tell at the moment.
    case outcomeUnknown = "outcome-unknown"
  }

  /// Why, for programs.
  public var code: Code
  /// For the client; it gives away nothing that the client should not know.
  public var message: String

  /// A failure with a text for the client's developer.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public static func == (a: Failure, b: Failure) -> Bool { a.code == b.code }

  /// The rules do not allow it.
  public static let permissionDenied = Failure(.permissionDenied, "Permission denied")
  /// There can be no such place in the tree.
  public static let invalidPath = Failure(.invalidPath, "Invalid token in path")
  /// What is written, or what it replaces, is over the limit of one write.
  public static let writeTooBig = Failure(
    .writeTooBig, "Data to write exceeds the maximum size that can be modified with a single request.")
  /// The connection, or all together, want too much at their ends.
  public static let tooManyOnDisconnects = Failure(
    .tooManyOnDisconnects, "This connection has asked for too much to be done when it ends")
  /// Nothing is stored any more, or nothing that waits is taken.
  public static let unavailable = Failure(.unavailable, "The database is not available")
  /// There is no room on the disk; nothing was written.
  public static let noSpace = Failure(.noSpace, "The server's disk is full. Nothing was written; try again later.")
  /// What keeps the log cannot be reached; nothing was written.
  public static let storageAway = Failure(
    .noSpace, "The server's storage does not answer. Nothing was written; try again later.")
  /// The disk refused to read, write or sync, and is tried again; nothing was written.
  public static let diskFault = Failure(
    .noSpace, "The server's disk does not work. Nothing was written; try again later.")
  /// There is so little room on the disk that it is kept for administrators; nothing was written.
  public static let lowSpace = Failure(
    .noSpace, "The server's disk is nearly full. Nothing was written; try again later.")
  /// The commit may or may not be found at the next start.
  public static let outcomeUnknown = Failure(
    .outcomeUnknown, "Whether this was written is not known. Read what is there before you try again.")
  /// The connection was not announced, or has ended.
  public static let unknownConnection = Failure(.unknownConnection, "This connection is closed")
}
