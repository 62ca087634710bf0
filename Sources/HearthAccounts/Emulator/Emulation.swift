import Synchronization

/// What an emulator keeps for one project beside its accounts, in memory: what test suites switch, the codes that no
/// text message carries, and the order in which codes were made.
package final class Emulation: Sendable {
  private struct State {
    var configuration: AccountsConfiguration
    var phone = PhoneCodes()
    var lastOrder: Int64 = 0
  }

  private let state: Mutex<State>

  init(_ configuration: AccountsConfiguration) { state = Mutex(State(configuration: configuration)) }

  /// As it was last switched.
  var configuration: AccountsConfiguration { state.withLock { $0.configuration } }

  /// Switches whether answers tell that an address has no account.
  package func setProtectsFromEnumeration(_ isOn: Bool) {
    state.withLock { $0.configuration.protectsFromEnumeration = isOn }
  }

  /// A number above every one before, also of earlier starts: what a list of codes is sorted by.
  func nextOrder(nowMilliseconds: Int64) -> Int64 {
    state.withLock { state in
      state.lastOrder = max(state.lastOrder + 1, nowMilliseconds * 1_000)
      return state.lastOrder
    }
  }

  /// Looks at the codes of phone sign-ins, or changes them.
  package func phoneCodes<Value: Sendable>(_ body: (inout PhoneCodes) -> Value) -> Value {
    state.withLock { body(&$0.phone) }
  }
}

extension ThrottleLimits {
  /// Above everything that a test suite does, and far from where sums overflow.
  private static let liftedMax = 1_000_000_000

  /// What an emulator goes by: a suite makes hundreds of accounts and asks for as many codes in a minute. The memory of
  /// the counters stays bounded.
  var lifted: ThrottleLimits {
    var limits = self
    limits.accountFailuresFree = Self.liftedMax
    limits.addressFailures = Self.liftedMax
    limits.addressAccounts = Self.liftedMax
    limits.signUpsPerHour = Self.liftedMax
    limits.anonymousPerHour = Self.liftedMax
    limits.mailsPerAddressPerMinute = Self.liftedMax
    limits.mailsPerAddressPerHour = Self.liftedMax
    limits.mailsPerClientPerHour = Self.liftedMax
    limits.mailsPerDay = Self.liftedMax
    limits.codeTriesPerMinute = Self.liftedMax
    limits.credentialFailuresPerMinute = Self.liftedMax
    return limits
  }
}
