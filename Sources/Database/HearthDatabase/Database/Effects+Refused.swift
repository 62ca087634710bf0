import HearthEngine

extension [Effect] {
  /// The effects without changes of data and decisions of rules, which may be wrong.
  var withoutDecisions: [Effect] {
    filter { effect in
      switch effect {
      case .reply, .authenticationEnded: true
      case .event, .queryEvent, .redecided, .denied: false
      }
    }
  }

  /// Returns the effects to deliver when the commits are not durable: every waiting request is answered as failed, and
  /// no change is reported. Revoked permissions stay revoked.
  ///
  /// - Parameter isUnknown: True when the commits may still be found on the disk at the next start. Clients that
  ///   requested a change are then answered that its outcome is unknown, since a retry might repeat it.
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
