/// The bounds of what databases and their clients take of the event loops, each with its reason.
struct DeliveryLimits: Sendable {
  /// What may wait of one database for one event loop, in recipients of effects. A loop that is slower than the database
  /// then holds the database, whose clients are read no further; without this it would be memory that grows. The sum
  /// over all loops and databases is at most some hundred bytes for each.
  var waitingRecipientsMax = 262_144
  /// What a loop performs of one database before others, and its sockets, have their turn: some milliseconds' work.
  var turnRecipientsMax = 16_384
  /// Connections of one database: what the service allows. Each costs about ten kilobytes and a file descriptor.
  var connectionsPerDatabaseMax = 200_000

  static let standard = DeliveryLimits()
}
