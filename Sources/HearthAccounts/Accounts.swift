import HearthCrypto
import HearthPlugin
import HearthTree

/// The accounts of one project: users, sign-in, sessions, codes, and the audit trail over all of it.
///
/// Safe to use from many threads. What a database's edge asks about a credential is in ``standing(of:)``.
public final class Accounts: Sendable {
  /// As the operator has it; see ``configuration``.
  private let configured: AccountsConfiguration
  public let store: AccountStore
  public let keys: KeyRing
  /// The ways to sign in.
  package let providers: ProviderDirectory
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
  /// Nil unless this is an emulator.
  let emulation: Emulation?
  /// What other projects an emulator's clients name; nil for one of those, and unless this is an emulator.
  let projects: EmulatedProjects?

  /// What the operator decided; on an emulator with what its clients switched.
  public var configuration: AccountsConfiguration { emulation?.configuration ?? configured }

  /// Whether mails go anywhere.
  package var sendsMail: Bool { mails.canSend }

  /// - Parameters:
  ///   - providers: those that are switched on.
  ///   - mailer: nil refuses everything that needs a mail.
  ///   - onRevocation: gives the revocation a number, by which its receipts are found; nil when nobody keeps any.
  public convenience init(
    configuration: AccountsConfiguration, store: AccountStore, keys: KeyRing, providers: [any SignInProvider],
    mailer: (any Mailer)?, hooks: [any DecidingHook] = [], environment: AccountsEnvironment,
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> UInt64?
  ) {
    self.init(
      configuration, store: store, keys: keys, providers: ProviderDirectory(providers),
      mails: MailQueue(mailer, notice: environment.notice), hooks: hooks, environment: environment,
      projects: configuration.isEmulator ? EmulatedProjects() : nil
    ) { revocation, event in
      if let number = onRevocation(revocation, event) { RevocationNumbers.current?.note(number) }
    }
  }

  /// Accounts of another project on an emulator: users, sessions and keys' names of its own, and everything else of the
  /// server's.
  convenience init(of projectID: String, store: AccountStore, beside own: Accounts) {
    var configuration = own.configured
    configuration.projectID = projectID
    self.init(
      configuration, store: store, keys: own.keys.copy(for: projectID), providers: own.providers, mails: own.mails,
      hooks: own.hooks, environment: own.environment, projects: nil, onRevocation: own.onRevocation)
  }

  private init(
    _ configuration: AccountsConfiguration, store: AccountStore, keys: KeyRing, providers: ProviderDirectory,
    mails: MailQueue, hooks: [any DecidingHook], environment: AccountsEnvironment, projects: EmulatedProjects?,
    onRevocation: @escaping @Sendable (Revocation, AuditEvent.Kind) -> Void
  ) {
    let isEmulator = configuration.isEmulator
    configured = configuration
    emulation = isEmulator ? Emulation(configuration) : nil
    self.projects = projects
    self.store = store
    self.keys = keys
    self.providers = providers
    self.hooks = hooks
    self.mails = mails
    self.environment = environment
    codes = WorkQueue(waitingMax: store.limits.codesWaitingMax) { block in
      environment.schedule(Self.codeDelayMilliseconds, block)
    }
    assertions = AssertionVerifier(audiences: [configuration.publicURL + Self.tokenPath])
    self.onRevocation = onRevocation
    pool = PasswordPool(
      cost: configuration.passwordCost, slots: configuration.passwordSlots, random: environment.random,
      queue: isEmulator ? .emulator : .standard,
      importKey: { [keys, store] id in store.view.importKey(id).flatMap { keys.unseal($0) } })
    throttle = Throttle(
      limits: isEmulator ? configuration.limits.lifted : configuration.limits, addressKey: keys.throttleKey,
      restored: isEmulator ? [:] : store.view.locks,
      persist: { [store] key, lock in store.saveLock(key, lock) })
  }
}
