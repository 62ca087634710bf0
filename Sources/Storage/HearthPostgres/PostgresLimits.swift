/// The limits of journals in PostgreSQL, with their reasons.
public enum PostgresLimits {
  /// The number of connections for appends. Each journal uses one of them, which keeps its batches in order. Waiting
  /// requests of a connection share a transaction, so more connections bring little.
  public static let writersMax = 16

  /// The number of transactions in flight on a connection: the next one is sent while the last is made durable.
  public static let transactionsInFlight = 2

  /// The number of requests in one transaction. They succeed and fail together, and wait for each other.
  public static let requestsPerTransaction = 256

  /// The size in bytes from which no further request is added to a transaction.
  public static let transactionBytes = 8 << 20

  /// The payload of one row. A larger batch continues in rows of its own: PostgreSQL accepts values up to a gigabyte,
  /// but holds them in memory several times and cannot send them in parts.
  public static let rowBytesMax = 4 << 20

  /// The bytes handed to libpq before a flush, because libpq buffers all of them in memory.
  public static let unsentBytes = 256 << 10

  /// The number of batches per read.
  public static let readRows = 1_024

  /// The number of rows that one step of pruning deletes.
  public static let pruneStepRows = 256

  /// The approximate size of a batch in addition to its payload: its other columns, the row's header and the index
  /// entry.
  public static let batchRowBytes = 120

  /// The time in seconds that an append tries to find out its outcome while PostgreSQL does not answer. A failover
  /// takes 20 to 27 seconds with Patroni's default settings.
  public static let requestTimeoutSeconds = 60

  /// The time in seconds without an answer to an append, plus a second for each ``bytesPerSecondMin`` sent, after which
  /// a new connection is made. That connection may reach another server.
  public static let answerSeconds = 10

  /// The time limit in seconds of a call about a node's lease: a later answer would find the lease lapsed.
  public static let leaseAnswerSeconds = 3

  /// The payload bytes that a node reads from a log at a time; at least one row.
  public static let tailReadBytes = 4 << 20

  /// The lowest expected throughput, in bytes per second.
  public static let bytesPerSecondMin = 4 << 20

  /// The time limit in seconds of a check that PostgreSQL answers.
  public static let checkSeconds = 5

  /// The time in seconds that a stopping server waits for an answer.
  public static let endSeconds = 5

  /// The time in seconds between two checks.
  public static let checkPauseSeconds = 2

  /// The time in seconds that a starting server waits for another one to stop using its tables: PostgreSQL takes that
  /// long to notice that a machine was lost.
  public static let inUseWaitSeconds = 15

  /// The time limit in seconds of one attempt to connect to one host.
  public static let connectSeconds = 3

  /// The difference in milliseconds between this machine's clock and the server's that causes a warning.
  public static let clockSkewMilliseconds = 1_000
}
