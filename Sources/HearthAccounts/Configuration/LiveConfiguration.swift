import Synchronization

/// The configuration as it counts now: what the operator decided, what a tenant's administrator decided for that tenant, and on
/// an emulator what its clients have switched since.
package final class LiveConfiguration: Sendable {
  private let decided: AccountsConfiguration
  private let protectsFromEnumeration: Atomic<Bool>
  private let tenantSettings: @Sendable () -> TenantRecord?

  /// - Parameters:
  ///   - configuration: what the operator decided.
  ///   - tenant: the settings of the tenant that it is for, as they are at the moment; nil for none.
  package init(_ configuration: AccountsConfiguration, tenant: @escaping @Sendable () -> TenantRecord? = { nil }) {
    decided = configuration
    tenantSettings = tenant
    protectsFromEnumeration = Atomic(configuration.protectsFromEnumeration)
  }

  /// All settings, as they are at the moment.
  package var value: AccountsConfiguration {
    var value = decided
    value.protectsFromEnumeration = protectsFromEnumeration.load(ordering: .acquiring)
    if let protects = tenantSettings()?.protectsFromEnumeration { value.protectsFromEnumeration = protects }
    return value
  }

  /// The settings of the tenant that it is for; nil for the project itself.
  package var tenant: TenantRecord? { tenantSettings() }

  /// Whether this server stands in for the official emulator. Never changes.
  package var isEmulator: Bool { decided.isEmulator }

  /// Switches whether answers hide that an address has no account. For an emulator's test suites.
  package func setProtectsFromEnumeration(_ isOn: Bool) { protectsFromEnumeration.store(isOn, ordering: .releasing) }
}
