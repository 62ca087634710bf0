import HearthEngine
import HearthTree

/// What a database needs of the world around it. Everything is called outside of locks.
public struct DatabaseEnvironment: Sendable {
  /// Both clocks, now.
  public var clock: @Sendable () -> Instant

  /// Runs the work once, on any thread, after that many milliseconds. Being late is harmless.
  public var schedule: @Sendable (_ afterMilliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Void

  /// Takes the effects of one or more batches, in order and durable. Calls come one after another from a queue of the
  /// database, which writes nothing further until the call returns: hand over to other threads and return.
  ///
  /// With them comes when the oldest command came that they are of, on the clock of ``meters``; 0 when that is not known.
  public var deliver: @Sendable (_ effects: [Effect], _ arrivalNanoseconds: UInt64) -> Void

  /// Takes what an operator should know, from any thread.
  public var notice: @Sendable (_ notice: DatabaseNotice) -> Void

  /// What becomes of commits beside the log, from the first one on: see ``Database/setOutbox(_:)``.
  public var outbox: DatabaseOutbox?

  /// Takes the steps that clients' commands took, from a queue of the database. Those of one batch come together.
  package var charge: @Sendable (_ work: [ConnectionWork]) -> Void = { _ in }

  /// The place where is counted what the database does.
  public var meters = DatabaseMeters.none

  /// Ends a connection that the database has no session for any more: its client is to come back, and to ask again what
  /// had no answer. Only of a database that follows a log.
  package var closeConnection: @Sendable (_ connection: ConnectionID) -> Void = { _ in }

  /// Told what has changed, once it can be read: the places, the states before and after, and whether this server decided it
  /// as the log's owner. Comes on the deciding queue, which waits for it. Only of a database that follows a log.
  package var followed: (@Sendable (_ places: [Path], _ before: Published, _ after: Published, _ isOwn: Bool) -> Void)?

  /// What a database that follows a log knows is new enough for clients from now on, or is not any more: then all
  /// connections are to be ended, and none taken.
  package var servingChanged: @Sendable (_ isServing: Bool) -> Void = { _ in }
  /// Told, of a database that several servers follow, whether this one decides from now on what is written. Not while
  /// anything of the database is locked, but other changes wait for it.
  package var ownershipChanged: @Sendable (_ isOwner: Bool) -> Void = { _ in }

  /// A world of these parts; without `notice` nobody is told.
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
