import HearthEngine

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

  /// Where is counted what the database does.
  public var meters = DatabaseMeters.none

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
