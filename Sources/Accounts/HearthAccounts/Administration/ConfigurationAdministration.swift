import HearthEngine
import HearthTree

/// Changes the configuration while the server runs, for an administrator. What is changed is kept with the accounts, and
/// counts instead of what the operator's file says.
package struct ConfigurationAdministration: Sendable {
  let context: AccountsContext

  /// Changes settings, from the next request on.
  ///
  /// - Parameter settings: an object of the file's form. Its members replace what was changed before, those of an inner
  ///   object one by one; `null` goes back to what the file says.
  /// - Throws: `invalidArgument` for what the file could not say either.
  package func change(_ settings: JSON, by administrator: Administrator) async throws(AccountError) {
    let names = settings.members?.map(\.name).joined(separator: ", ") ?? ""
    try await context.projectStore.transact {
      [context] (transaction: inout AccountTransaction) throws(AccountError) in
      let changes = try ConfigurationChanges.merged(
        settings, into: transaction.configurationChanges, over: context.settings.decided)
      transaction.putConfigurationChanges(changes)
      transaction.audit(administrator.event(.configurationChanged, detail: names))
    }
  }
}
