import HearthJournal

/// What nodes tell each other of one database.
package enum PeerMessage: Sendable, Equatable {
  /// A replica, to the owner: frames are wanted, and a beat that bears this stamp.
  case pulse(stamp: MonotonicInstant)
  /// The owner, to a replica: where the log ended at some moment after the stamp was sent.
  case beat(epoch: Int64, head: JournalHead, stamp: MonotonicInstant)
  /// A row that is durable.
  case commits(LogRow)
  /// A client's node, to the owner of that epoch.
  case request(epoch: Int64, ForwardedRequest)
  /// The owner of that epoch, to the client's node.
  case answer(epoch: Int64, SessionID, request: UInt64, Outcome)
  /// A client's node, to the owner of that epoch: all sessions that it holds.
  case announce(epoch: Int64, [SessionID])
  /// The owner, to a client's node: these are none.
  case unknownSessions(epoch: Int64, [SessionID])
  /// The owner of that epoch has given the database up for the receiver.
  case handoff(epoch: Int64)
}

/// The first message of each side of a connection.
package struct Hello: Sendable, Equatable {
  /// The oldest version of the protocol that the sender speaks.
  package var oldestVersion: UInt16
  /// The newest.
  package var newestVersion: UInt16
  /// Which cluster it belongs to, so that a node that was given a wrong address is turned away.
  package var cluster: UInt64
  /// The sender.
  package var incarnation: Incarnation

  /// The versions that this program speaks.
  package static let versions: ClosedRange<UInt16> = 1...2

  /// A greeting.
  package init(
    versions: ClosedRange<UInt16> = Hello.versions, cluster: UInt64, incarnation: Incarnation
  ) {
    oldestVersion = versions.lowerBound
    newestVersion = versions.upperBound
    self.cluster = cluster
    self.incarnation = incarnation
  }

  /// The version that both sides speak: the newest of these; nil when there is none.
  package func version(with other: Hello) -> UInt16? {
    let version = min(newestVersion, other.newestVersion)
    return version >= max(oldestVersion, other.oldestVersion) ? version : nil
  }
}

/// A message between two nodes.
package enum LinkMessage: Sendable, Equatable {
  /// The first one, and no other.
  case hello(Hello)
  /// Nothing, so that the other side knows that this one is there.
  case heartbeat
  case database(DatabaseID, PeerMessage)
  /// A question of the sender's, which counts its own; of no database.
  case question(number: UInt64, [UInt8])
  /// What becomes of the receiver's question of that number.
  case reply(number: UInt64, LinkReply)
}
