/// Where the emulators that this server stands in for are looked for. They are one server: every port answers all of it.
public struct EmulatorPorts: Sendable, Equatable {
  /// The database.
  public var database: Int
  /// Accounts.
  public var auth: Int
  /// The hub, which tells tools where the others are.
  public var hub: Int

  /// Three ports, of which some may be the same.
  public init(database: Int, auth: Int, hub: Int) {
    self.database = database
    self.auth = auth
    self.hub = hub
  }

  /// All on one port.
  public init(all port: Int) { self.init(database: port, auth: port, hub: port) }

  /// Those to open beside a port that is open.
  func others(beside port: Int) -> [Int] { Set([database, auth, hub]).subtracting([port]).sorted() }
}
