import HearthCrypto
import HearthPlugin
import HearthTree

/// The accounts of one project: users, sign-in, sessions, codes, and the audit trail over all of it.
///
/// Safe to use from many threads. What it does for HTTP is in ``handle(_:)``; what a database's edge asks about a
/// credential is in ``standing(of:)``.
public final class Accounts: Sendable {
  public let configuration: AccountsConfiguration
  public let store: AccountStore
  public let keys: KeyRing
  let providers: ProviderDirectory
  let hooks: [any DecidingHook]
  let mails: MailQueue
  /// Codes that are made once the answer is gone.
  let codes: WorkQueue
  let pool: PasswordPool
  let throttle: Throttle
  let secretUses = SecretUses()
  let environment: AccountsEnvironment
  /// Assertions of service accounts, each good once.
  let assertions: AssertionVerifier
  /// Called after a revocation is durable, from any thread, with what happened.
  let onRevocation: @Sendable (Revocation, AuditEvent.Kind) -> Void

  /// - Parameters:
  ///   - providers: those that are switched on.
  ///   - mailer: nil refuses everything that needs a mail.
  ///   - onRevocation: gives the revocation a number, by which its receipts are found; nil when nobody keeps any.
  public init(
    configuration: AccountsConfiguration, store: AccountStore, keys: KeyRing, providers: [any SignInProvider],
    mailer: (any Mailer)?, hooks: [any DecidingHook] = [], environment: AccountsEnvironment,
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> UInt64?
  ) {
    self.configuration = configuration
    self.store = store
    self.keys = keys
    self.providers = ProviderDirectory(providers)
    self.hooks = hooks
    mails = MailQueue(mailer, notice: environment.notice)
    self.environment = environment
    codes = WorkQueue(waitingMax: store.limits.codesWaitingMax) { block in
      environment.schedule(Self.codeDelayMilliseconds, block)
    }
    assertions = AssertionVerifier(audiences: [configuration.publicURL + Self.tokenPath])
    self.onRevocation = { revocation, event in
      if let number = onRevocation(revocation, event) { RevocationNumbers.current?.note(number) }
    }
    pool = PasswordPool(
      cost: configuration.passwordCost, slots: configuration.passwordSlots, random: environment.random,
      importKey: { [keys, store] id in store.view.importKey(id).flatMap { keys.unseal($0) } })
    throttle = Throttle(
      limits: configuration.limits, addressKey: keys.throttleKey, restored: store.view.locks,
      persist: { [store] key, lock in store.saveLock(key, lock) })
  }
}
