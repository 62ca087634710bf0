extension Command {
  /// Who is to stand in the record of a commit that comes of it; nil when nobody is.
  ///
  /// - Parameter connection: the one that it came over, where there is such.
  func author(as principal: Principal, on connection: Connection?, _ limits: EngineLimits) -> CommitAuthor? {
    guard limits.recordsAuthors else { return nil }
    return CommitAuthor(principal, connection: self.connection, address: address ?? connection?.address ?? .unknown)
  }
}

extension Session {
  /// Who is to stand in the record of what is done at its end; nil when nobody is. Where the connection was is not durable,
  /// and it may have been before this start.
  func author(_ limits: EngineLimits) -> CommitAuthor? {
    limits.recordsAuthors ? CommitAuthor(principal, connection: connection, address: .unknown) : nil
  }
}
