/// The limits on messages between nodes and on the data that nodes keep for each other.
package enum ClusterLimits {
  /// The size of a message between nodes. Rows are the largest messages; larger rows are read from the log.
  package static let messageBytesMax = 16 << 20
  /// The size of a client's request, which leaves room for the rest of a message. Larger writes are split.
  package static let requestBytesMax = 15 << 20
  /// The size of all unanswered requests of one node's clients. Further requests are refused.
  package static let waitingRequestBytesMax = 64 << 20
  /// The size of a reply, which leaves room for the rest of a message. A larger one is omitted.
  package static let replyBytesMax = 15 << 20
  /// The size of the replies that wait at an owner for durability. A reply beyond this limit is omitted.
  package static let waitingReplyBytesMax = 64 << 20
  /// The size of a question to another node, or of its answer, which fits in a message.
  package static let questionBytesMax = 15 << 20
  /// The size of a journal's name with its collection.
  package static let journalNameBytesMax = 1_024
  /// The size of a node's name.
  package static let nodeNameBytesMax = 63
  /// The number of records in a row.
  package static let rowRecordsMax = 65_536
  /// The number of records in a row that is read, because all are decoded at once. It is above ``rowRecordsMax``
  /// because a server without a cluster writes as many as fit in a batch.
  package static let readRecordsMax = 4 << 20
  /// The size of records in a row after which the next row begins.
  package static let rowBytes = 1 << 20
  /// The number of records from which a row is sent although the previous row is in flight.
  package static let rowRecordsWorthwhile = 256
  /// The number of rows in flight. When one is refused, all after it are refused as well.
  package static let rowsInFlightMax = 2
  /// The number of frames that are buffered until the preceding ones arrive.
  package static let bufferedFramesMax = 256
  /// The size of the buffered frames.
  package static let bufferedFrameBytesMax = 16 << 20
  /// The size of the acknowledged rows that are remembered.
  package static let rememberedBytesMax = 64 << 20
  /// The number of unanswered requests of a session.
  package static let sessionRequestsMax = 1_000
  /// The number of sessions that a node announces to a new owner in one message.
  package static let announcedSessionsMax = 1_000_000
  /// The number of a lost node's sessions that are ended at a time.
  package static let disconnectsAtOnceMax = 1_000
  /// The size of a node's receipts for an ended credential. Further receipts are omitted.
  package static let receiptBytesMax = 1 << 20
  /// The size of the uid or address of ended credentials, which usually is much shorter.
  package static let credentialNameBytesMax = 1_024
}
