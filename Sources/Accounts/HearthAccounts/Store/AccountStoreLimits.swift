/// What the store holds at most, one reason each.
public struct AccountStoreLimits: Sendable {
  /// Sign-ins of one user that live on. Each is a row that every revocation walks over; the one that was not used for
  /// the longest time goes first.
  public var sessionsPerUserMax = 100

  /// Codes and pending steps of one user, or of one address without a user. Anybody can ask for them.
  public var ticketsPerOwnerMax = 20

  /// Codes and pending steps of all together; those that end first go first.
  public var ticketsMax = 200_000

  /// Locks of accounts, known and unknown; those that end first go first.
  public var locksMax = 100_000

  /// The time that a lock is kept after its last failure.
  public var lockKeptSeconds: Int64 = 43_200

  /// The time that an ended ticket is kept, so that its holder can be told that it ended.
  public var ticketKeptSeconds: Int64 = 86_400

  /// Ended records of each kind that one transaction takes away: more than one transaction adds.
  public var sweepStepRecords = 8

  /// Identities, second factors, and passkeys, of one user. All of them are one record.
  public var identitiesPerUserMax = 50

  /// The record of one user: as large as a request.
  public var userSizeBytesMax = 256 << 10

  /// Codes that wait to be made and mailed; each holds an address and a URL.
  public var codesWaitingMax = 1_000

  /// Refused tokens and provider credentials of one client network that are put on record in a minute. Nothing else
  /// slows their sender down.
  public var refusalRecordsPerMinute = 30

  /// Audit records that are kept.
  public var auditRecordsMax = 200_000

  /// The limits of a server without a configuration of its own.
  public init() {}

  /// The limits that an operator's configuration asks for.
  public init(_ configuration: AccountsConfiguration) { auditRecordsMax = configuration.auditRecordsMax }
}
