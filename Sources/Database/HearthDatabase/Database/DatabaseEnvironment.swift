import HearthEngine
import HearthTree

/// The dependencies of a database. Every closure is called outside of locks.
public struct DatabaseEnvironment: Sendable {
  /// Reads both clocks.
  public var clock: @Sendable () -> Instant

  /// Runs the work once, on any thread, after `afterMilliseconds` or later.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  /// Delivers the effects of one or more durable batches, in order. Calls are serial, on a queue of the database that
  /// writes nothing until the call returns: implementations hand the effects to other threads and return.
  ///
  /// The second parameter is the arrival time of the oldest command behind the effects, on the clock of ``meters``; 0
  /// when unknown.
  public var deliver: @Sendable (_ effects: [Effect], _ arrivalNanoseconds: UInt64) -> Void

  /// Receives notices for the operator, from any thread.
  public var notice: @Sendable (_ notice: DatabaseNotice) -> Void

  /// The memory for pages of large databases; nil when the data of databases stays in memory. A database that has pages
  /// already keeps them in either case.
  public var pages: PageCache?

  /// The outbox from the first commit on: see ``Database/setOutbox(_:)``.
  public var outbox: DatabaseOutbox?

  /// Receives the steps that clients' commands took, in one call per batch, on a queue of the database.
  package var charge: @Sendable (_ work: [ConnectionWork]) -> Void = { _ in }

  /// Returns the number of recipients of effects that wait for the busiest event loop. Called for each batch.
  package var deliveriesWaiting: @Sendable () -> Int = { 0 }

  /// Returns a function that is true while work is left that began before the call, and may read values of versions
  /// without holding these.
  package var makeReaderCheck: @Sendable () -> @Sendable () -> Bool = { { false } }

  /// The metrics that the database records.
  public var meters = DatabaseMetrics.none

  /// Closes a connection whose session the database has lost: its client reconnects and repeats the unanswered
  /// requests. Called only for a database that follows a log.
  package var closeConnection: @Sendable (_ connection: ConnectionID) -> Void = { _ in }

  /// Reports changes once they can be read: the locations, the states before and after, and whether this server decided
  /// them as the log's owner. Called synchronously on the deciding queue, only for a database that follows a log.
  package var followed:
    (@Sendable (_ places: [Path], _ before: DatabaseState, _ after: DatabaseState, _ isOwn: Bool) -> Void)?

  /// Reports whether the state of a following database is new enough for clients. On false, all connections are to be
  /// ended, and new ones rejected.
  package var servingChanged: @Sendable (_ isServing: Bool) -> Void = { _ in }
  /// Reports, for a database that several servers follow, whether this server is now the owner. Called without any lock
  /// of the database; it must return soon, because other role changes wait for it.
  package var ownershipChanged: @Sendable (_ isOwner: Bool) -> Void = { _ in }

  /// Creates an environment of these parts; without `notice`, notices are dropped.
  public init(
    clock: @escaping @Sendable () -> Instant,
    schedule: @escaping @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void,
    deliver: @escaping @Sendable (_ effects: [Effect], _ arrivalNanoseconds: UInt64) -> Void,
    notice: @escaping @Sendable (_ notice: DatabaseNotice) -> Void = { _ in }
  ) {
    self.clock = clock
    self.schedule = schedule
    self.deliver = deliver
    self.notice = notice
  }
}
