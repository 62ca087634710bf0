import ArgumentParser
import HearthServer

/// The flags for the place and the memory of databases.
struct StorageFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A \(JournalEngines.products) for databases, accounts and pending events instead of the data folder. Keys, secrets, \
      settings, versions of rules, triggers and plugins stay in the folder. passfile=PATH in the URL or PGPASSFILE names \
      the file with the password.
      """,
      valueName: "url"))
  var journal: String?

  @Option(
    help: ArgumentHelp(
      """
      Close a database that has had no client for this long, such as 30m; it uses no memory until the next request. The \
      default database stays open. If not given, all databases stay open; a node of a cluster closes them after 10m.
      """, valueName: "time"))
  var closeIdle: HistoryAge?

  @Option(
    help: ArgumentHelp(
      """
      The memory for data of large databases, such as 512M; the rest of their data stays on the disk. A database of more \
      than 32 MiB is converted at its next snapshot, and cannot be converted back. If not given, all data is in memory.
      """, valueName: "bytes"))
  var cacheSize: ByteCount?

  /// The smallest cache: with less, pages would be evicted while a batch of commands uses them.
  private static let cacheBytesMin = 16 << 20

  func validate() throws {
    if let cacheSize, cacheSize.bytes < Self.cacheBytesMin {
      throw ValidationError("--cache-size must be at least \(Self.cacheBytesMin >> 20)M.")
    }
    guard let journal else { return }
    do { _ = try JournalLocation(url: journal) } catch { throw ValidationError("--journal: \(error).") }
  }

  /// Checks the flags against those of other groups.
  func validate(beside cluster: ClusterFlags) throws {
    try cluster.validate(beside: journal)
    guard cacheSize != nil else { return }
    guard journal == nil, cluster.cluster == nil else {
      throw ValidationError("--cache-size is for databases in the data folder; those in PostgreSQL are in memory.")
    }
  }
}
