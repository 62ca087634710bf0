/// A request that a client's node forwards to the owner.
package struct ForwardedRequest: Sendable, Equatable {
  /// The kind of a request.
  package enum Kind: Sendable, Equatable {
    /// The opening of a session, its first request. Sessions of an incarnation are numbered from 1; those up to
    /// `answered` have begun. The number distinguishes a repeated opening from a new one, even when the session has
    /// ended meanwhile.
    case open(ordinal: UInt64, answered: UInt64)
    /// A write, a transaction, or an on-disconnect write.
    case write(ForwardedBody)
    /// A read of the newest state, in the engine's encoding.
    case get([UInt8])
    /// The end of the session after its client's socket was closed, its last request.
    case close
  }

  /// The session and number of the request.
  package var origin: Origin
  /// The kind of the request.
  package var kind: Kind

  /// Creates a request of a session.
  package init(_ origin: Origin, _ kind: Kind) {
    self.origin = origin
    self.kind = kind
  }
}

extension ForwardedRequest.Kind {
  /// The size of the client's data in bytes.
  package var sizeBytes: Int {
    switch self {
    case .open, .close: 0
    case .write(let content): content.sizeBytes
    case .get(let content): content.count
    }
  }
}
