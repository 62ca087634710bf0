import HearthTree

/// The client that the work of a command is charged to.
public struct WorkPayer: Sendable, Hashable {
  /// The connection that sent the command.
  public var connection: ConnectionID
  /// The client of a one-off request; `nil` for the command of a connection, whose client its owner knows.
  package var client: ShareClaimant?

  /// The payer of a connection's commands.
  public init(_ connection: ConnectionID) { self.connection = connection }

  /// The payer of a command.
  public init(_ command: Command) {
    connection = command.connection
    guard let principal = command.principal else { return }
    client = ShareClaimant(account: principal.uid, network: command.network, isAdministrator: principal.readsAll)
  }
}

/// The steps that a command took, or that were taken because of it.
public struct ConnectionWork: Sendable, Equatable {
  /// The client that caused it.
  public var payer: WorkPayer
  /// Steps of rules, and as many for other work as would have taken the same time.
  public var steps: Int

  /// The steps of a command.
  public init(_ payer: WorkPayer, steps: Int) { (self.payer, self.steps) = (payer, steps) }

  /// The steps of a connection's command.
  public init(_ connection: ConnectionID, steps: Int) { self.init(WorkPayer(connection), steps: steps) }
}
