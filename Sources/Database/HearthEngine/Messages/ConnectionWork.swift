import HearthTree

/// The client that the work of a command is charged to.
public struct WorkPayer: Sendable, Hashable {
  /// The connection that sent the command.
  public var connection: ConnectionID
  /// The client of a one-off request; nil for the command of a connection, whose client is found by the connection's
  /// ID.
  package var client: ShareClaimant?

  /// Creates the payer for the commands of a connection.
  public init(_ connection: ConnectionID) { self.connection = connection }

  /// Creates the payer for a command.
  public init(_ command: Command) {
    connection = command.connection
    guard let principal = command.principal else { return }
    client = ShareClaimant(account: principal.uid, network: command.network, isAdministrator: principal.readsAll)
  }
}

/// The steps of a command, or of work that it caused.
public struct ConnectionWork: Sendable, Equatable {
  /// The client that caused the work.
  public var payer: WorkPayer
  /// The steps of rules, with other work converted to steps of the same duration.
  public var steps: Int

  /// Creates the steps of a command.
  public init(_ payer: WorkPayer, steps: Int) { (self.payer, self.steps) = (payer, steps) }

  /// Creates the steps of a connection's command.
  public init(_ connection: ConnectionID, steps: Int) { self.init(WorkPayer(connection), steps: steps) }
}
