extension GatewayServices {
  /// Puts the stored quotas of a database in force, before it has clients. Reads a file.
  package func loadQuotas(of database: String) {
    do throws(RESTFailure) {
      quotas.set(try settings.settings(of: database).quotas, of: database)
    } catch {
      logger.error(
        "the quotas of a database cannot be read, so it has no limits",
        metadata: ["database": "\(database)", "error": "\(error.text)"])
    }
  }

  /// Compares the stored bytes of an open database with their limit.
  package func reviewStorage(of database: String) {
    quotas.reviewStorage { $0 == database ? databases.opened(database)?.published : nil }
  }

  /// Compares the stored bytes of the open databases with their limits.
  package func reviewStorage() { quotas.reviewStorage { databases.opened($0)?.published } }
}
