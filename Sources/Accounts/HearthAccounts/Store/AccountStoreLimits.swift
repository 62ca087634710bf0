/// The limits of the store, each with its reason.
public struct AccountStoreLimits: Sendable {
  /// The maximum number of sessions of one user. Each is a row that every revocation reads; the least recently used is removed
  /// first.
  public var sessionsPerUserMax = 100

  /// The maximum number of codes and pending steps of one user, or of one address without a user. Any client can request them.
  public var ticketsPerOwnerMax = 20

  /// The maximum number of codes and pending steps of all users together; the first to expire are removed first.
  public var ticketsMax = 200_000

  /// The maximum number of locks of accounts, known and unknown; the first to expire are removed first.
  public var locksMax = 100_000

  /// The time in seconds that a lock is kept after its last failure.
  public var lockKeptSeconds: Int64 = 43_200

  /// The time in seconds that an expired ticket is kept, so that its holder can be told that it expired.
  public var ticketKeptSeconds: Int64 = 86_400

  /// The maximum number of expired records of each kind that one transaction removes: more than one transaction adds.
  public var sweepStepRecords = 8

  /// The maximum number of identities, second factors, and passkeys, of one user. All of them are one record.
  public var identitiesPerUserMax = 50

  /// The maximum size of a user's record in bytes: that of a request.
  public var userSizeBytesMax = 256 << 10

  /// The maximum number of codes in the queue for creation and mailing; each holds an address and a URL.
  public var codesWaitingMax = 1_000

  /// The maximum number of audit records of refused tokens and provider credentials from one client network in a minute. No other
  /// limit applies to them.
  public var refusalRecordsPerMinute = 30

  /// The maximum number of audit records of events that one account's user repeats, in an hour.
  public var repeatedRecordsPerHour = 120

  /// The maximum number of audit records.
  public var auditRecordsMax = 200_000

  /// Creates the limits of a server without a configuration of its own.
  public init() {}

  /// Creates the limits of an operator's configuration.
  public init(_ configuration: AccountsConfiguration) { auditRecordsMax = configuration.auditRecordsMax }
}
