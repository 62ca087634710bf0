extension Command {
  /// Who is to stand in the record of a commit that comes of it; nil when nobody is.
  ///
  /// - Parameter connection: the one that it came over, where there is such.
  func author(as principal: Principal, on connection: Connection?, _ limits: EngineLimits) -> CommitAuthor? {
    guard limits.recordsAuthors else { return nil }
    return CommitAuthor(principal, connection: self.connection, address: address ?? connection?.address ?? .unknown)
  }
}
