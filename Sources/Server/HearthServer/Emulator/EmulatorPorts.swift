/// The ports at which tools expect the emulators that this server replaces. They are one server: every port serves all
/// of it.
public struct EmulatorPorts: Sendable, Equatable {
  /// The port of the database.
  public var database: Int
  /// The port of the accounts.
  public var auth: Int
  /// The port of the hub, which tells tools the other ports.
  public var hub: Int

  /// Three ports, of which some may be the same.
  public init(database: Int, auth: Int, hub: Int) {
    self.database = database
    self.auth = auth
    self.hub = hub
  }

  /// Creates the same port for all.
  public init(all port: Int) { self.init(database: port, auth: port, hub: port) }

  /// Returns the ports to open beside an open one.
  func others(beside port: Int) -> [Int] { Set([database, auth, hub]).subtracting([port]).sorted() }
}
