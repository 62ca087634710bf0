import HearthJournal

extension JournalEngine {
  /// The engine whose journals are in PostgreSQL.
  package static let postgres = JournalEngine(
    product: "PostgreSQL", code: "postgres", schemes: ["postgres", "postgresql"],
    setUpAdvice: "for the set-up, see the guide \"Journals in PostgreSQL\"",
    validate: { url throws(JournalError) in
      guard try !PostgresAddress(url).hasPassword else {
        throw JournalError(
          .notAJournal,
          "the address of PostgreSQL cannot contain a password, which lists of processes would show: put it in a file that "
            + "?passfile=/path in the address or PGPASSFILE names, as the line host:port:database:user:password")
      }
    },
    open: { url throws(JournalError) in try PostgresStore(url: url) })
}
