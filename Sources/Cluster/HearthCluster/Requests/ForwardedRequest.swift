/// What a client's node asks of the owner on its behalf.
package struct ForwardedRequest: Sendable, Equatable {
  /// What is asked.
  package enum Kind: Sendable, Equatable {
    /// The session begins; its first request. Sessions of a node's run are numbered from 1; those up to `answered` are
    /// known to have begun. By the number an opening that is sent again is told from a new one, also when the session has
    /// ended meanwhile.
    case open(ordinal: UInt64, answered: UInt64)
    /// A write, a transaction, or what is to be written when the session ends.
    case write(ForwardedBody)
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
    case .write(let content): content.sizeBytes
    case .get(let content): content.count
    }
  }
}
