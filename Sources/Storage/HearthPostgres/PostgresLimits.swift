/// The bounds of journals in PostgreSQL, one reason each.
public enum PostgresLimits {
  /// Connections that append. Each journal has one of them, so that its batches come in order; what waits for one goes in
  /// one transaction, so that more of them bring little.
  public static let writersMax = 16

  /// Transactions that are under way on a connection at once: the next one travels while the last is made durable.
  public static let transactionsInFlight = 2

  /// Requests that one transaction takes. They succeed and fail together, and wait for each other.
  public static let requestsPerTransaction = 256

  /// The bytes after which a transaction takes no further request.
  public static let transactionBytes = 8 << 20

  /// The payload that one row holds. A larger batch goes on in rows of their own: PostgreSQL takes values up to a gigabyte,
  /// holds them in memory a few times over, and sends none in pieces.
  public static let rowBytesMax = 4 << 20

  /// What is handed to libpq before it is asked to send: it keeps in memory whatever it is given.
  public static let unsentBytes = 256 << 10

  /// The batches that one reading looks at.
  public static let readRows = 1_024

  /// The rows that one step of pruning deletes.
  public static let pruneStepRows = 256

  /// What a batch takes beside its payload, roughly: its other columns, the row's header, its place in the index.
  public static let batchRowBytes = 120

  /// For how long an append goes on asking what became of it when PostgreSQL does not answer, in seconds. A failover
  /// takes 20 to 27 seconds with Patroni's usual settings.
  public static let patienceSeconds = 60

  /// For how long a connection that appends may be silent, in seconds, beside a second for each
  /// ``bytesPerSecondMin`` of what is sent: then another one is made, which may find another server.
  public static let answerSeconds = 10

  /// For how long an answer about a node's lease is waited for, in seconds: a later one would come to a lease that is over.
  public static let leaseAnswerSeconds = 3

  /// The payload that a node reads of a log at once, one row at least.
  public static let tailReadBytes = 4 << 20

  /// The slowest that anything is expected to go.
  public static let bytesPerSecondMin = 4 << 20

  /// For how long a look whether PostgreSQL answers may take, in seconds.
  public static let lookSeconds = 5

  /// For how long a server that ends waits for an answer, in seconds.
  public static let endSeconds = 5

  /// Between two looks, in seconds.
  public static let lookPauseSeconds = 2

  /// For how long a server that starts waits for another one that uses its tables to end, in seconds: as long as PostgreSQL
  /// takes to notice that a machine is gone.
  public static let takenSeconds = 15

  /// For how long one attempt to connect to one host may take, in seconds.
  public static let connectSeconds = 3

  /// The difference between this machine's clock and the server's that is worth a warning, in milliseconds.
  public static let clockSkewMilliseconds = 1_000
}
