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

  /// Sets the functions, from the next sign-in on.
  ///
  /// - Parameter settings: nil returns to those of the configuration.
  /// - Throws: `insufficientPermission`: see ``Administrator/requireMayReach(_:from:)``.
  package func set(
    _ settings: BlockingFunctionSettings?, by administrator: Administrator
  ) async throws(AccountError) {
    try settings.map { settings throws(AccountError) in try administrator.requireMayReach(settings, from: blocking) }
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putBlockingFunctions(settings)
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }

  /// Changes the functions, from the next sign-in on.
  ///
  /// - Parameter change: gets the present functions in the form of ``BlockingFunctionSettings/json``, and returns the
  ///   new ones.
  /// - Throws: the errors of ``BlockingFunctionSettings/init(json:)``; `insufficientPermission`: see
  ///   ``Administrator/requireMayReach(_:from:)``.
  package func change(
    by administrator: Administrator, _ change: @escaping @Sendable (JSON) -> JSON
  ) async throws(AccountError) {
    try await context.store.transact { [context] (transaction: inout AccountTransaction) throws(AccountError) in
      let present =
        transaction.blockingFunctions ?? context.configuration.blockingFunctions ?? BlockingFunctionSettings()
      let settings = try BlockingFunctionSettings(json: change(present.json))
      try administrator.requireMayReach(settings, from: present)
      transaction.putBlockingFunctions(settings)
      transaction.audit(administrator.event(.configurationChanged, detail: "blocking functions"))
    }
  }
}

extension Administrator {
  /// Refuses blocking functions at private addresses, except those that are set already: only the operator may add one, because a
  /// service account could otherwise send requests to every program of the internal network, and read their error pages.
  ///
  /// - Throws: `insufficientPermission`.
  fileprivate func requireMayReach(
    _ settings: BlockingFunctionSettings, from present: BlockingFunctionSettings
  ) throws(AccountError) {
    guard !authority.actsForOperator else { return }
    let known = [present.beforeCreate, present.beforeSignIn].compactMap(\.self).filter(\.allowsPrivate).map(\.url)
    for function in [settings.beforeCreate, settings.beforeSignIn].compactMap(\.self)
    where function.allowsPrivate && !known.contains(function.url) {
      throw AccountError(
        .insufficientPermission,
        "allowsPrivate can only be set by the operator, with hearth functions or in the file of --auth-config.")
    }
  }
}
