/// The limits of receipts, each with its reason.
package struct ReceiptLimits: Sendable {
  /// The maximum number of cancelled listeners in a receipt. A screen shows some tens, a script checks a room of users;
  /// beyond that the counts and the distribution are sufficient.
  var listenersMax = 1_000
  /// The maximum number of continuing listeners in a receipt, each with the rule that allows it: enough for an
  /// explanation.
  var keptMax = 20
  /// The bytes of a receipt's line after which no more listeners are included: paths may be long.
  var lineBytesMax = 256 << 10
  /// The maximum number of receipts in memory, for requests over the network.
  var ringMax = 4_096
  /// The maximum bytes of the receipts in memory.
  var ringBytesMax = 16 << 20
  /// The maximum number of receipts on their way to memory and disk. Every write can cancel a listen and so make one;
  /// beyond this they are counted and dropped, so that a client that provokes them uses no memory.
  var waitingMax = 1_000
  /// The maximum number of open receipts: each waits for the slowest of its listeners.
  var openMax = 4_096
  /// The milliseconds after which a receipt is closed although some listener has not taken its cancellation: such a
  /// client is disconnected as a slow one within a minute, and a command that waits for the receipt should not wait so
  /// long.
  var openMilliseconds: Int64 = 30_000
  /// The maximum bytes of the file before it is rotated; one previous file is kept.
  var fileBytesMax = 16 << 20
  /// The bytes of the files that are read at a start.
  var tailBytes = 4 << 20
  /// The maximum number of requests that wait for receipts; others are answered at once.
  var waitersMax = 256
  /// The maximum number of receipts in one response.
  var pageMax = 1_000
  /// The maximum seconds that a request may wait: less than proxies keep a connection without a response.
  var waitSecondsMax = 50

  /// The maximum number of databases in a node's report, when a revocation concerned more than one. A node with more
  /// sends no report, and counts as one that did not answer.
  var nodeReceiptsMax = 500
  /// The maximum bytes of the listeners in a node's report.
  var nodeListenersBytesMax = 512 << 10
  /// The maximum number of times in a node's report; of more, a sample is sent.
  var nodeTimesMax = 10_000
  /// The maximum bytes of a database's name in another node's report.
  var nodeDatabaseBytesMax = 256
  /// The milliseconds that a node waits for its own clients' notifications, before it reports the results so far.
  var nodeTimeoutMilliseconds: Int64 = 2_000
  /// The maximum number of other nodes' revocations whose ``RevocationProcess`` is kept, for the nodes that ask for its results.
  /// Administrators delete 1,000 accounts at once.
  var followedMax = 2_000
  /// The milliseconds for which a ``RevocationProcess`` of another node's revocation is kept.
  var followedMilliseconds: Int64 = 30_000

  /// The limits of every server.
  package static let standard = ReceiptLimits()
}
