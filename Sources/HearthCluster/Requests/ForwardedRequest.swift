/// What a client's node asks of the owner on its behalf.
package struct ForwardedRequest: Sendable, Equatable {
  /// What is asked.
  package enum Kind: Sendable, Equatable {
    /// The session begins; its first request. Sessions of a node's run are numbered from 1; those up to `answered` are
    /// known to have begun. By the number an opening that is sent again is told from a new one, also when the session has
    /// ended meanwhile.
    case open(ordinal: UInt64, answered: UInt64)
    /// A write or a transaction, in the engine's form.
    case write([UInt8])
    /// What is to be written at a place when the session ends; nil takes it back.
    case onDisconnect(place: [UInt8], content: [UInt8]?)
    /// A read of the newest state, in the engine's form.
    case get([UInt8])
    /// The client's socket is closed: the session ends. Its last request.
    case close
  }

  /// Which request of which session.
  package var origin: Origin
  /// What is asked.
  package var kind: Kind

  /// A request of a session.
  package init(_ origin: Origin, _ kind: Kind) {
    self.origin = origin
    self.kind = kind
  }
}

extension ForwardedRequest.Kind {
  /// The bytes of what a client sent.
  package var sizeBytes: Int {
    switch self {
    case .open, .close: 0
    case .write(let content), .get(let content): content.count
    case .onDisconnect(let place, let content): place.count + (content?.count ?? 0)
    }
  }
}

/// What became of a request.
package enum Outcome: Sendable, Equatable {
  /// It is in the log, durably.
  case applied(position: Int64)
  /// The rules, or a transaction's condition, did not allow it. It is not in the log and will not be.
  case denied
  /// What was read, from the state at a position.
  case value([UInt8], position: Int64)
  /// There is no such session, or no longer: its on-disconnect writes were made.
  case noSession
  /// Not decided here and now: the node that was asked is not the owner in that epoch, or lacks a request that comes
  /// before. It is to be sent again, with all that wait before it.
  case notOwner

  /// The position that a client's node must have applied before it tells the client.
  var position: Int64 {
    switch self {
    case .applied(let position), .value(_, let position): position
    default: 0
    }
  }
}
