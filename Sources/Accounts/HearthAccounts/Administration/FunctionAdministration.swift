import HearthEngine
import HearthTree

/// The administration of blocking functions. Settings changed while the server runs are stored with the accounts, and
/// replace those of the configuration.
package struct FunctionAdministration: Sendable {
  let context: AccountsContext

  /// The functions in use now.
  package var blocking: BlockingFunctionSettings {
    context.store.view.blockingFunctions ?? context.configuration.blockingFunctions ?? BlockingFunctionSettings()
  }

  /// True when the functions are the configuration's, and not changed since.
  package var isConfigured: Bool { context.store.view.blockingFunctions == nil }

  /// Sets them, from the next sign-in on.
  ///
  /// - Parameter settings: nil returns to those of the configuration.
  package func set(
    _ settings: BlockingFunctionSettings?, by administrator: Administrator
  ) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putBlockingFunctions(settings)
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }

  /// Changes the functions, from the next sign-in on.
  ///
  /// - Parameter change: gets the present functions in the form of ``BlockingFunctionSettings/json``, and returns the
  ///   new ones.
  /// - Throws: the errors of ``BlockingFunctionSettings/init(json:)``.
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
