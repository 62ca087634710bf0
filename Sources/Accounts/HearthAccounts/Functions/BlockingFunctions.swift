import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// The deciding hook that asks blocking functions, as apps write them with the function SDKs.
///
/// Nobody is asked about anonymous users and custom tokens, as the service does not either.
struct BlockingFunctions: DecidingHook {
  let name = "blocking functions"
  private let keys: KeyRing
  private let isEmulator: Bool
  private let caller: (any FunctionCaller)?
  private let clock: @Sendable () -> Instant
  private let settings: @Sendable () -> BlockingFunctionSettings?
  private let consoleClaim: @Sendable () -> String?
  private let notice: @Sendable (AccountsNotice) -> Void

  /// - Parameters:
  ///   - isEmulator: requests are not signed unless a function's settings say so.
  ///   - consoleClaim: the claim of users who may open the console; `nil` where no account does.
  ///   - settings: as they are at the moment; nil for none.
  init(
    keys: KeyRing, isEmulator: Bool, environment: AccountsEnvironment,
    consoleClaim: @escaping @Sendable () -> String?,
    settings: @escaping @Sendable () -> BlockingFunctionSettings?
  ) {
    self.keys = keys
    self.isEmulator = isEmulator
    self.consoleClaim = consoleClaim
    caller = environment.functions
    clock = environment.clock
    notice = environment.notice
    self.settings = settings
  }

  var wantedTokens: Set<HookCredential.Token> { settings()?.forwarded ?? [] }

  func decide(_ event: HookEvent) async throws -> HookVerdict {
    guard event.signInProvider != ProviderID.anonymous, event.signInProvider != ProviderID.custom,
      let settings = settings()
    else { return .allow() }
    let function =
      switch event.moment {
      case .beforeCreate: settings.beforeCreate
      case .beforeSignIn: settings.beforeSignIn
      }
    guard let function else { return .allow() }
    do throws(HookFailure) {
      guard let caller else { throw .unreachable }
      // On an emulator the tools of this machine say where functions are.
      let answer = try await caller.call(
        function.url, allowsPrivate: function.allowsPrivate || isEmulator, body: try request(event, to: function))
      let verdict = try answer.verdict(at: event.moment)
      try requireNoConsoleClaim(verdict, of: event.user)
      return verdict
    } catch {
      guard error == .unreachable, event.moment == .beforeSignIn, function.allowsUnreachable else { throw error }
      notice(AccountsNotice(.warning, "the beforeSignIn function could not be reached: allowed, as its settings say"))
      return .allow()
    }
  }

  /// Refuses an answer that opens the console to an account that may not open it: a function is set by whoever administers
  /// accounts, and the claim is the operator's to give.
  private func requireNoConsoleClaim(_ verdict: HookVerdict, of user: HookUser) throws(HookFailure) {
    guard let claim = consoleClaim(), case .allow(let changes) = verdict,
      user.customClaims?[claim] == nil
    else { return }
    let custom: JSON? = if case .set(let claims) = changes.customClaims { claims } else { nil }
    guard custom?[claim] == nil, changes.sessionClaims?[claim] == nil else {
      throw .badAnswer("The function's claims have \(claim), which opens the console and is the operator's to give.")
    }
  }

  private func request(
    _ event: HookEvent, to function: BlockingFunctionSettings.Function
  ) throws(HookFailure) -> [UInt8] {
    let isSigned = (function.signing ?? (isEmulator ? .none : .rs256)) == .rs256
    do {
      let token = try keys.mintFunctionToken(
        claims: BlockingClaims.of(event), url: function.url, isSigned: isSigned,
        issuedAtSeconds: clock().wallMilliseconds / 1000 - BlockingFunctionLimits.backdatedSeconds,
        lifetimeSeconds: BlockingFunctionLimits.tokenLifetimeSeconds + BlockingFunctionLimits.backdatedSeconds)
      return JSON.object([JSON.Member("data", .object([JSON.Member("jwt", .string(token))]))]).text()
    } catch {
      notice(AccountsNotice(.error, "a blocking function's request could not be made: \(error.code.rawValue)"))
      throw .badAnswer("The function's request could not be made.")
    }
  }
}
