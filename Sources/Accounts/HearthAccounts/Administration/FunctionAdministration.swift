import HearthEngine
import HearthTree

/// Which blocking functions there are, for an administrator. What is set while the server runs is kept with the accounts,
/// and counts instead of what the configuration says.
package struct FunctionAdministration: Sendable {
  let context: AccountsContext

  /// Those that are asked now.
  package var blocking: BlockingFunctionSettings {
    context.store.view.blockingFunctions ?? context.configuration.blockingFunctions ?? BlockingFunctionSettings()
  }

  /// True when they are those of the configuration, and not set since.
  package var isConfigured: Bool { context.store.view.blockingFunctions == nil }

  /// Sets them, from the next sign-in on.
  ///
  /// - Parameter settings: nil goes back to those of the configuration.
  package func set(
    _ settings: BlockingFunctionSettings?, by administrator: Administrator
  ) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
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
    try await context.store.transact { [context] (transaction: inout AccountTransaction) throws(AccountError) in
      let present =
        transaction.blockingFunctions ?? context.configuration.blockingFunctions ?? BlockingFunctionSettings()
      transaction.putBlockingFunctions(try BlockingFunctionSettings(json: change(present.json)))
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }
}
