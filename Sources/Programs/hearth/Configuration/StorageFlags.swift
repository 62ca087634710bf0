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

  func validate() throws {
    guard let journal else { return }
    do { _ = try JournalLocation(url: journal) } catch { throw ValidationError("--journal: \(error).") }
  }
}
