import HearthPlugin
import HearthTree
import Synchronization

/// The configuration in effect: the operator's, overridden by administrators' changes, and for a tenant by its
/// settings.
package final class LiveConfiguration: Sendable {
  /// The operator's configuration, without later changes.
  let operatorConfiguration: AccountsConfiguration
  private let changes: @Sendable () -> String?
  private let tenantSettings: @Sendable () -> TenantRecord?
  private let notice: @Sendable (AccountsNotice) -> Void
  private let last: Mutex<(changes: String, value: AccountsConfiguration)?> = Mutex(nil)
  private let lastOfTenant: Mutex<CachedTenantConfiguration?> = Mutex(nil)

  /// A tenant's changes as last read, merged with those of the project.
  private struct CachedTenantConfiguration {
    let changesOfProject: String
    let changes: String
    let value: AccountsConfiguration
  }

  /// - Parameters:
  ///   - configuration: the operator's.
  ///   - changes: the later changes, as the text of a configuration file; nil for none.
  ///   - tenant: the current settings of the tenant; nil for the project.
  package init(
    _ configuration: AccountsConfiguration, notice: @escaping @Sendable (AccountsNotice) -> Void,
    changes: @escaping @Sendable () -> String?, tenant: @escaping @Sendable () -> TenantRecord? = { nil }
  ) {
    operatorConfiguration = configuration
    tenantSettings = tenant
    self.notice = notice
    self.changes = changes
  }

  /// The settings in effect.
  package var value: AccountsConfiguration {
    guard let tenant = tenantSettings() else { return value(changes()) }
    return value(for: tenant)
  }

  /// The settings in effect for a tenant of the project.
  func value(for tenant: TenantRecord) -> AccountsConfiguration {
    let ofProject = changes()
    var value = value(ofProject)
    if let changes = tenant.changes {
      let last = lastOfTenant.withLock { $0 }
      if let last, last.changes.utf8.elementsEqual(changes.utf8),
        last.changesOfProject.utf8.elementsEqual((ofProject ?? "").utf8)
      {
        value = last.value
      } else {
        do throws(SettingsError) {
          value = try AccountsConfiguration.parse(Array(changes.utf8), over: value)
        } catch {
          value = ConfigurationChanges.applyingValid(changes, over: value)
          notice(
            AccountsNotice(
              .error,
              "settings of the tenant \(tenant.id) conflict with the project's settings, which take precedence: \(error)"
            ))
        }
        lastOfTenant.withLock { [value] in
          $0 = CachedTenantConfiguration(changesOfProject: ofProject ?? "", changes: changes, value: value)
        }
      }
    }
    tenant.override(&value)
    return value
  }

  /// Merges an administrator's changes into those of a tenant.
  ///
  /// - Throws: `invalidArgument` for values that the project's file could not contain either.
  func merge(_ settings: JSON, into tenant: inout TenantRecord) throws(AccountError) {
    tenant.changes = try ConfigurationChanges.merged(settings, into: tenant.changes, over: value(changes()))
  }

  /// The project's settings, without those of a tenant.
  private func value(_ changes: String?) -> AccountsConfiguration {
    guard let changes else { return operatorConfiguration }
    let (value, problem) = last.withLock { last -> (AccountsConfiguration, SettingsError?) in
      if let last, last.changes.utf8.elementsEqual(changes.utf8) { return (last.value, nil) }
      do throws(SettingsError) {
        let value = try AccountsConfiguration.parse(Array(changes.utf8), over: operatorConfiguration)
        last = (changes, value)
        return (value, nil)
      } catch {
        let value = ConfigurationChanges.applyingValid(changes, over: operatorConfiguration)
        last = (changes, value)
        return (value, error)
      }
    }
    if let problem {
      notice(
        AccountsNotice(
          .error,
          "settings that administrators changed conflict with the configuration file, which takes precedence: \(problem)"
        ))
    }
    return value
  }

  /// The settings of this tenant; nil for the project itself.
  package var tenant: TenantRecord? { tenantSettings() }

  /// True when this server is an emulator. Never changes.
  package var isEmulator: Bool { operatorConfiguration.isEmulator }
}
