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
  /// Returns the author in the record of on-disconnect writes, or nil when records have none. The address is omitted:
  /// it is not stored with the session, and the connection may have ended with an earlier run of the server.
  func author(_ limits: EngineLimits) -> CommitAuthor? {
    limits.recordsAuthors ? CommitAuthor(principal, connection: connection, address: .unknown) : nil
  }
}
