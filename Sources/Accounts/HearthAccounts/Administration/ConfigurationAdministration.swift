import HearthEngine
import HearthTree

/// Changes the configuration while the server runs, for an administrator. Changes are stored with the accounts, and
/// override the operator's file.
package struct ConfigurationAdministration: Sendable {
  let context: AccountsContext

  /// Changes settings, from the next request on.
  ///
  /// - Parameter settings: an object in the file's form. Its members replace earlier changes, those of an inner object
  ///   one by one; `null` returns to the file's value.
  /// - Throws: `invalidArgument` for a value that the file could not contain either; `insufficientPermission` for a
  ///   setting that is the operator's.
  package func change(_ settings: JSON, by administrator: Administrator) async throws(AccountError) {
    try administrator.requireMayChange(settings: settings, consoleClaim: context.configuration.consoleClaim)
    let names = settings.members?.map(\.name).joined(separator: ", ") ?? ""
    try await context.projectStore.transact {
      [context] (transaction: inout AccountTransaction) throws(AccountError) in
      let changes = try ConfigurationChanges.merged(
        settings, into: transaction.configurationChanges, over: context.settings.operatorConfiguration)
      transaction.putConfigurationChanges(changes)
      transaction.audit(administrator.event(.configurationChanged, detail: names))
    }
  }
}
