extension GatewayServices {
  /// A database is no more, removed by this server or another one: nothing is known of it any more.
  package func forget(_ database: String) {
    settings.forget(database)
    rules.forget(database)
    triggers.detach(database)
    quotas.forget(database)
  }
}
