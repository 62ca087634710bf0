/// The bounds of what is kept of receipts, each with its reason.
package struct ReceiptLimits: Sendable {
  /// Cancelled listeners that a receipt names one by one. A screen shows some tens, a script checks a room of people;
  /// beyond that the counts and the distribution tell the story.
  var listenersMax = 1_000
  /// Listeners that go on which a receipt names, each with the rule that lets it: enough to see why.
  var keptMax = 20
  /// Bytes of a receipt's line after which no more listeners are named: paths may be long.
  var lineBytesMax = 256 << 10
  /// Receipts in memory, for who asks over the network.
  var ringMax = 4_096
  /// Bytes of them.
  var ringBytesMax = 16 << 20
  /// Receipts on their way to memory and disk. Every write can end somebody's listen and so make one; beyond this they
  /// are counted and not kept, so that a client that provokes them costs no memory.
  var waitingMax = 1_000
  /// Receipts being made: each waits for the slowest of its listeners.
  var openMax = 4_096
  /// Milliseconds after which a receipt is closed although some listener has not taken what it was sent: such a client
  /// is disconnected as a slow one within a minute, and a command that waits for the receipt should not wait so long.
  var openMilliseconds: Int64 = 30_000
  /// Bytes of the file after which a new one is begun; the one before is kept.
  var fileBytesMax = 16 << 20
  /// Bytes of the files that are read at a start.
  var tailBytes = 4 << 20
  /// Requests that may wait for receipts at a time; others are answered at once.
  var waitersMax = 256
  /// Receipts in one answer.
  var pageMax = 1_000
  /// Seconds that a request may wait: less than proxies keep a connection without an answer.
  var waitSecondsMax = 50

  /// Databases that a node tells another of, when a revocation cut somebody in more than one. More than that it does not put
  /// into words, and counts as one that did not answer.
  var nodeReceiptsMax = 500
  /// Bytes of the listeners that it names.
  var nodeListenersBytesMax = 512 << 10
  /// Times that it tells; of more, some.
  var nodeTimesMax = 10_000
  /// Bytes of a database's name, as another node may say it.
  var nodeDatabaseBytesMax = 256
  /// Milliseconds that a node waits for its own clients to have been told, before it answers as far as they were.
  var nodePatienceMilliseconds: Int64 = 2_000
  /// Revocations of other nodes whose rounds are kept, for these to ask. Administrators delete 1,000 accounts at once.
  var followedMax = 2_000
  /// Milliseconds for which they are kept.
  var followedMilliseconds: Int64 = 30_000

  /// Those of every server.
  package static let standard = ReceiptLimits()
}
