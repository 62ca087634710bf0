import Synchronization

/// The configuration as it counts now: what the operator decided, and on an emulator what its clients have switched since.
package final class LiveConfiguration: Sendable {
  private let decided: AccountsConfiguration
  private let protectsFromEnumeration: Atomic<Bool>

  /// - Parameter configuration: what the operator decided.
  package init(_ configuration: AccountsConfiguration) {
    decided = configuration
    protectsFromEnumeration = Atomic(configuration.protectsFromEnumeration)
  }

  /// All settings, as they are at the moment.
  package var value: AccountsConfiguration {
    var value = decided
    value.protectsFromEnumeration = protectsFromEnumeration.load(ordering: .acquiring)
    return value
  }

  /// Whether this server stands in for the official emulator. Never changes.
  package var isEmulator: Bool { decided.isEmulator }

  /// Switches whether answers hide that an address has no account. For an emulator's test suites.
  package func setProtectsFromEnumeration(_ isOn: Bool) { protectsFromEnumeration.store(isOn, ordering: .releasing) }
}
