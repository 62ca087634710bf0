/// The limits of what nodes tell each other and keep for each other.
package enum ClusterLimits {
  /// A message between nodes. A row is the largest part of one; larger rows are read from the log.
  package static let messageBytesMax = 16 << 20
  /// What a client's request holds, so that a message has room for it and for what is around it. Larger writes are made in
  /// parts.
  package static let requestBytesMax = 15 << 20
  /// The requests of one node's clients that are not answered, in bytes. More are not taken.
  package static let waitingRequestBytesMax = 64 << 20
  /// What a request's reply holds, so that a message has room for it. A larger one is left out.
  package static let replyBytesMax = 15 << 20
  /// The replies that wait at an owner for what they tell of to be durable. One for which there is no room is left out.
  package static let waitingReplyBytesMax = 64 << 20
  /// A question that a node asks another, or its answer: a message has room for it.
  package static let questionBytesMax = 15 << 20
  /// A journal's name, with its collection.
  package static let journalNameBytesMax = 1_024
  /// A node's name.
  package static let nodeNameBytesMax = 63
  /// The records that one row takes.
  package static let rowRecordsMax = 65_536
  /// The records of a row that is read: they are decoded at once. A server by itself writes as many as its bytes hold.
  package static let readRecordsMax = 4 << 20
  /// The bytes of records that one row takes before the next is begun.
  package static let rowBytes = 1 << 20
  /// So many records are not kept waiting for the row before them.
  package static let rowRecordsWorthwhile = 256
  /// Rows whose outcome is awaited at a time. The refusal of one refuses all behind it.
  package static let rowsInFlightMax = 2
  /// Frames that came before those they follow.
  package static let bufferedFramesMax = 256
  /// The bytes of those.
  package static let bufferedFrameBytesMax = 16 << 20
  /// Acknowledged rows that are remembered.
  package static let rememberedBytesMax = 64 << 20
  /// Requests of a session that are not answered.
  package static let sessionRequestsMax = 1_000
  /// A node that announces its sessions to a new owner names at most these in one message.
  package static let announcedSessionsMax = 1_000_000
  /// Sessions of a lost node that are ended in one row.
  package static let disconnectsAtOnceMax = 1_000
  /// What a node says of the clients that it cut because a credential ended. More than that it does not say.
  package static let receiptBytesMax = 1 << 20
  /// The name of whoever's credentials ended. Uids and addresses are much shorter.
  package static let credentialNameBytesMax = 1_024
}
