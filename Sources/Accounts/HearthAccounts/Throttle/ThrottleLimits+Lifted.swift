extension ThrottleLimits {
  /// A limit above all that a test suite does, and far from overflows.
  private static let liftedMax = 1_000_000_000

  /// The limits of an emulator: a suite creates hundreds of accounts and requests as many codes in a minute. The memory
  /// of the counters stays bounded.
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
    limits.messagesPerNumberPerMinute = Self.liftedMax
    limits.messagesPerNumberPerHour = Self.liftedMax
    limits.messagesPerNumberPerDay = Self.liftedMax
    limits.messagesPerClientPerHour = Self.liftedMax
    limits.messagesPerClientPerDay = Self.liftedMax
    limits.messagesPerCountryPerHour = Self.liftedMax
    limits.messagesPerCountryPerDay = Self.liftedMax
    limits.messagesPerHour = Self.liftedMax
    limits.messagesPerDay = Self.liftedMax
    limits.codeTriesPerMinute = Self.liftedMax
    limits.factorTriesPerDay = Self.liftedMax
    limits.credentialFailuresPerMinute = Self.liftedMax
    return limits
  }
}
