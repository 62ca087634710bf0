extension GatewayServices {
  /// Puts in force what was set for a database, before it has clients. Reads a file.
  package func loadQuotas(of database: String) {
    do throws(RESTFailure) {
      quotas.set(try settings.settings(of: database).quotas, of: database)
    } catch {
      logger.error(
        "the quotas of a database are not known: nothing is limited",
        metadata: ["database": "\(database)", "error": "\(error.text)"])
    }
  }

  /// Counts what is stored in a database that is open, where that is limited. Takes as long as there is data.
  package func reviewStorage(of database: String) {
    quotas.reviewStorage { $0 == database ? databases.opened(database)?.published : nil }
  }

  /// Counts what is stored in the open databases where that is limited. Takes as long as there is data.
  package func reviewStorage() { quotas.reviewStorage { databases.opened($0)?.published } }
}
