import HearthEngine
import HearthTree

/// Which blocking functions there are, for an administrator. What is set while the server runs is kept with the accounts,
/// and counts instead of what the configuration says.
package struct FunctionAdministration: Sendable {
  private let store: AccountStore
  private let configuration: LiveConfiguration

  init(store: AccountStore, configuration: LiveConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  /// Those that are asked now.
  package var blocking: BlockingFunctionSettings {
    store.view.blockingFunctions ?? configuration.value.blockingFunctions ?? BlockingFunctionSettings()
  }

  /// True when they are those of the configuration, and not set since.
  package var isConfigured: Bool { store.view.blockingFunctions == nil }

  /// Sets them, from the next sign-in on.
  ///
  /// - Parameter settings: nil goes back to those of the configuration.
  package func set(
    _ settings: BlockingFunctionSettings?, by administrator: Administrator
  ) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putBlockingFunctions(settings)
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }

  /// Changes them, from the next sign-in on.
  ///
  /// - Parameter change: gets those that are asked now, in the words of ``BlockingFunctionSettings/json``, and gives those
  ///   that are to be.
  /// - Throws: what ``BlockingFunctionSettings/init(json:)`` throws.
  package func change(
    by administrator: Administrator, _ change: @escaping @Sendable (JSON) -> JSON
  ) async throws(AccountError) {
    try await store.transact { [configuration] (transaction: inout AccountTransaction) throws(AccountError) in
      let present =
        transaction.blockingFunctions ?? configuration.value.blockingFunctions ?? BlockingFunctionSettings()
      transaction.putBlockingFunctions(try BlockingFunctionSettings(json: change(present.json)))
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }
}
