import HearthJournal

/// A message between nodes about one database.
package enum PeerMessage: Sendable, Equatable {
  /// A replica requests rows, and a beat with this stamp, from the owner.
  case pulse(stamp: MonotonicInstant)
  /// The owner reports an end of the log that it had at some time after the stamp was sent.
  case beat(epoch: Int64, head: JournalHead, stamp: MonotonicInstant)
  /// A durable row.
  case commits(LogRow)
  /// The node of a client forwards a request to the owner of that epoch.
  case request(epoch: Int64, ForwardedRequest)
  /// The owner of that epoch answers the node of the client.
  case answer(epoch: Int64, SessionID, request: UInt64, RequestOutcome)
  /// The node of clients announces all of its sessions to the owner of that epoch.
  case announce(epoch: Int64, [SessionID])
  /// The owner reports sessions that do not exist to the node of their clients.
  case unknownSessions(epoch: Int64, [SessionID])
  /// The owner of that epoch has released the database for the receiver.
  case handoff(epoch: Int64)
}

/// The first message of each side of a connection.
package struct Hello: Sendable, Equatable {
  /// The oldest protocol version that the sender supports.
  package var oldestVersion: UInt16
  /// The newest protocol version that the sender supports.
  package var newestVersion: UInt16
  /// The cluster of the sender, so that a connection to a wrong address is refused.
  package var cluster: UInt64
  /// The sender.
  package var incarnation: Incarnation

  /// The versions that this program supports.
  package static let versions: ClosedRange<UInt16> = 1...2

  /// A hello of these values.
  package init(
    versions: ClosedRange<UInt16> = Hello.versions, cluster: UInt64, incarnation: Incarnation
  ) {
    oldestVersion = versions.lowerBound
    newestVersion = versions.upperBound
    self.cluster = cluster
    self.incarnation = incarnation
  }

  /// Returns the newest version that both sides support; nil when there is none.
  package func version(with other: Hello) -> UInt16? {
    let version = min(newestVersion, other.newestVersion)
    return version >= max(oldestVersion, other.oldestVersion) ? version : nil
  }
}

/// A message between two nodes.
package enum LinkMessage: Sendable, Equatable {
  /// The first message of each side, sent only once.
  case hello(Hello)
  /// An empty message that shows that the sender is alive.
  case heartbeat
  case database(DatabaseID, PeerMessage)
  /// A question about no particular database. Each side numbers its questions itself.
  case question(number: UInt64, [UInt8])
  /// The reply to the receiver's question with that number.
  case reply(number: UInt64, LinkReply)
}
