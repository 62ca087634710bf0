extension GatewayServices {
  /// Drops the state of a database that this server or another one has removed.
  package func forget(_ database: String) {
    settings.forget(database)
    rules.forget(database)
    triggers.detach(database)
    quotas.forget(database)
  }
}
