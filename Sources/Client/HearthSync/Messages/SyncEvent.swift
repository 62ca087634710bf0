import HearthTree

/// An event for the app, delivered in order.
public enum SyncEvent: Sendable {
  /// A registration's data changed.
  case data(DataEvent)
  /// A registration ended because the server denies its query.
  case cancelled(ListenCancellation)
  /// A set, an update, or an onDisconnect request has its outcome; nil for success.
  case completed(OperationID, SyncFailure?)
  /// A transaction has its outcome.
  case transactionCompleted(OperationID, TransactionOutcome)
  /// A `get` has its outcome.
  case got(OperationID, GetOutcome)
  /// A failure outside any operation: a text for the log.
  case warning(String)
}

/// A change of the data that a registration listens to.
public struct DataEvent: Sendable {
  /// The registration that receives the event.
  public var registration: RegistrationID
  /// The query of the registration; its order is that of the children of a value.
  public var query: QuerySpec
  /// The type of the event, exactly one.
  public var type: EventTypes
  /// The value or the child; for a removed child, its last state.
  public var node: Node
  /// The key of the child; nil for a value.
  public var key: Key?
  /// The key of the preceding child, for a child that was added, changed or moved; nil for the first child. It is
  /// determined in the order of the query, among all children after the change.
  public var previousKey: Key?
}

/// The reason of a failure.
public struct SyncFailure: Error, Sendable, Equatable {
  /// The server's status, or one that only clients use: `set`, `maxretry`, `disconnect`, `write_canceled`,
  /// `user_changed`.
  public var status: String
  /// The server's explanation; may be empty.
  public var message: String

  /// Creates a failure.
  public init(_ status: String, _ message: String = "") {
    self.status = status
    self.message = message
  }
}

/// The end of a registration that the server denied.
public struct ListenCancellation: Sendable {
  /// The registration that ended.
  public var registration: RegistrationID
  /// The query that it listened to.
  public var query: QuerySpec
  /// The reason.
  public var failure: SyncFailure
}

/// The outcome of a transaction.
public enum TransactionOutcome: Sendable {
  /// The transaction was written. The node has this client's own estimate of server values.
  case committed(Node)
  /// The function aborted; the node is its last input.
  case aborted(Node)
  /// The transaction failed. With `maxretry` the last input is included.
  case failed(SyncFailure, Node?)
}

/// The outcome of a `get`.
public enum GetOutcome: Sendable {
  /// The result of the query, without a priority of its own when the query has bounds or a limit.
  case value(Node)
  /// The value could not be read.
  case failed(SyncFailure)
}
