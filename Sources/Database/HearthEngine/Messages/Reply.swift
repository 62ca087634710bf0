import HearthTree

/// The answer to one request.
public enum Reply: Sendable {
  /// The request is done, without further data.
  case ok

  /// The listen has begun. `isIndexed` is false when the rules declare no index for its order.
  case listening(isIndexed: Bool)

  /// The result of a `get` with a query, still to be built.
  case result(QueryResult)

  /// The data of a `get`; ``Node/empty`` when there is none.
  case value(Node)

  /// The write is durable. The node is the new data at the operation's path, with server values filled in.
  case written(Node)

  /// The expected hash did not match, and nothing was written. The node is the present data.
  case stale(Node)

  /// The request failed, or its outcome is unknown.
  case failure(Failure)

  /// True when a change was made, or may have been.
  package var isDone: Bool {
    switch self {
    case .ok, .written: true
    case .listening, .result, .value, .stale, .failure: false
    }
  }
}

/// The reason why a request failed. Two failures are equal when their codes are.
public struct Failure: Error, Sendable, Equatable {
  /// The closed list of codes. The texts appear in logs and are never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// The rules do not allow the request.
    case permissionDenied = "permission-denied"
    /// The path is invalid.
    case invalidPath = "invalid-path"
    /// The value is invalid at its location.
    case invalidData = "invalid-data"
    /// The change exceeds the size of one write.
    case writeTooBig = "write-too-big"
    /// The connection has the most listens that it may have.
    case tooManyListens = "too-many-listens"
    /// A `get` requests an order without an index in the rules.
    case indexNotDefined = "index-not-defined"
    /// The connection has the most on-disconnect writes that it may have.
    case tooManyOnDisconnects = "too-many-on-disconnects"
    /// The connection is unknown, or closed.
    case unknownConnection = "unknown-connection"
    /// The database accepts no requests at the moment. Nothing was done.
    case unavailable = "unavailable"
    /// The disk is full, or the storage does not answer. Nothing was done; the request may be repeated later.
    case noSpace = "no-space"
    /// The outcome is unknown: the change may have been made, or may still be.
    case outcomeUnknown = "outcome-unknown"
  }

  /// The code of the failure.
  public var code: Code
  /// The message for the client, without data that the client must not know.
  public var message: String

  /// Creates a failure with a message for the developer of the client.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public static func == (a: Failure, b: Failure) -> Bool { a.code == b.code }

  /// The failure when the rules do not allow the request.
  public static let permissionDenied = Failure(.permissionDenied, "Permission denied")
  /// The failure for a path that cannot exist in the tree.
  public static let invalidPath = Failure(.invalidPath, "Invalid token in path")
  /// The failure when the written or replaced data exceeds the size of one write.
  public static let writeTooBig = Failure(
    .writeTooBig, "Data to write exceeds the maximum size that can be modified with a single request.")
  /// The failure when a connection, or all together, have too many on-disconnect writes.
  public static let tooManyOnDisconnects = Failure(
    .tooManyOnDisconnects, "This connection has too many onDisconnect writes")
  /// The failure when the database no longer stores changes, or when a queue is full.
  public static let unavailable = Failure(.unavailable, "The database is not available")
  /// The failure when the disk is full; nothing was written.
  public static let noSpace = Failure(.noSpace, "The server's disk is full. Nothing was written; try again later.")
  /// The failure when the storage engine of the journal cannot be reached; nothing was written.
  public static let storageUnavailable = Failure(
    .noSpace, "The server's storage does not answer. Nothing was written; try again later.")
  /// The failure when the disk refused to read, write or sync, and the server retries; nothing was written.
  public static let diskFault = Failure(
    .noSpace, "The server's disk has failed. Nothing was written; try again later.")
  /// The failure when the remaining disk space is reserved for administrators; nothing was written.
  public static let lowSpace = Failure(
    .noSpace, "The server's disk is nearly full. Nothing was written; try again later.")
  /// The failure when the commit may or may not be found at the next start.
  public static let outcomeUnknown = Failure(
    .outcomeUnknown, "The outcome of this write is unknown. Read the data before you try again.")
  /// The failure when the connection was not announced, or has ended.
  public static let unknownConnection = Failure(.unknownConnection, "This connection is closed")
}
