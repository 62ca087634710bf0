extension Command {
  /// Returns the author in the record of a command's commit, or nil when records have none.
  ///
  /// - Parameter connection: The connection of the command, if it has one.
  func author(as principal: Principal, on connection: Connection?, _ limits: EngineLimits) -> CommitAuthor? {
    guard limits.recordsAuthors else { return nil }
    return CommitAuthor(principal, connection: self.connection, address: address ?? connection?.address ?? .unknown)
  }
}

extension Session {
  /// Returns the author in the record of on-disconnect writes, or nil when records have none. The connection's address
  /// is not durable, and the connection may be from before this start.
  func author(_ limits: EngineLimits) -> CommitAuthor? {
    limits.recordsAuthors ? CommitAuthor(principal, connection: connection, address: .unknown) : nil
  }
}
