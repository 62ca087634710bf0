import HearthEngine

extension [Effect] {
  /// What remains of effects whose commits are not durable: everybody who waits is told that it was not done, and
  /// nobody is told of a change. Permissions that were taken away stay taken away.
  ///
  /// - Parameter isUnknown: Whether the commits may be found on the disk at the next start all the same. Then those who
  ///   asked for a change are told so, since another try might do it twice.
  func refused(isUnknown: Bool = false) -> [Effect] {
    compactMap { effect in
      switch effect {
      case .event, .queryEvent: nil
      case .reply(let connection, let request, let reply):
        .reply(connection, request: request, .failure(isUnknown && reply.isDone ? .outcomeUnknown : .unavailable))
      case .redecided, .authenticationEnded, .denied: effect
      }
    }
  }
}
