import HearthJournal

extension JournalEngine {
  /// The engine whose journals are in PostgreSQL.
  package static let postgres = JournalEngine(
    product: "PostgreSQL", code: "postgres", schemes: ["postgres", "postgresql"],
    setUpAdvice: "the guide \"Journals in PostgreSQL\" says how it is set up",
    validate: { url throws(JournalError) in
      guard try !PostgresAddress(url).hasPassword else {
        throw JournalError(
          .notAJournal,
          "the address of PostgreSQL has no password, which would be seen in lists of processes: put it in a file that "
            + "?passfile=/path in the address or PGPASSFILE names, with a line host:port:database:user:password")
      }
    },
    open: { url throws(JournalError) in try PostgresStore(url: url) })
}
