import HearthTree

/// What the app is to be told, in this order.
public enum SyncEvent: Sendable {
  /// A registration's data changed.
  case data(DataEvent)
  /// A registration is gone, because the server denies its query.
  case cancelled(Cancellation)
  /// A set, an update, or an onDisconnect request is settled.
  case completed(OperationID, Failure?)
  /// A transaction is settled.
  case transactionCompleted(OperationID, TransactionOutcome)
  /// A `get` is settled.
  case got(OperationID, GetOutcome)
  /// Something went wrong that nobody waits for: a text for the log.
  case warning(String)
}

/// A change of what a registration listens to.
public struct DataEvent: Sendable {
  /// Whose event it is.
  public var registration: RegistrationID
  /// What it listens to; its order is that of the children of a value.
  public var query: QuerySpec
  /// Exactly one type.
  public var type: EventTypes
  /// The value, or the child: for one that was removed, as it was.
  public var node: Node
  /// Which child it is; nil for a value.
  public var key: Key?
  /// For a child that was added, changed or moved: the key of the one before it, in the order of the query and among
  /// all that is there after the change; nil for the first.
  public var previousKey: Key?
}

/// The reason why something did not happen.
public struct Failure: Error, Sendable, Equatable {
  /// What the server said, or one of the texts that only clients use: `set`, `maxretry`, `disconnect`, `write_canceled`,
  /// `user_changed`.
  public var status: String
  /// The server's explanation; may be empty.
  public var message: String

  /// A failure of that status.
  public init(_ status: String, _ message: String = "") {
    self.status = status
    self.message = message
  }
}

/// The end of a registration that the app did not ask for.
public struct Cancellation: Sendable {
  /// Which registration.
  public var registration: RegistrationID
  /// What it listened to.
  public var query: QuerySpec
  /// Why.
  public var failure: Failure
}

/// How a transaction ended.
public enum TransactionOutcome: Sendable {
  /// Written: what this client made of it, with its own estimate of server values.
  case committed(Node)
  /// The function did not want to go on, having seen this.
  case aborted(Node)
  /// Given up. With `maxretry` the last input is told.
  case failed(Failure, Node?)
}

/// How a `get` ended.
public enum GetOutcome: Sendable {
  /// What is there: what the query finds, without a priority of its own when the query has bounds or a limit.
  case value(Node)
  /// Not known.
  case failed(Failure)
}
