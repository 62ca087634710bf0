import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// The deciding hook that calls blocking functions, as apps write them with the function SDKs.
///
/// Anonymous users and custom tokens are exempt, as in Identity Platform.
struct BlockingFunctions: DecidingHook {
  let context: AccountsContext
  let name = "blocking functions"
  /// The current settings; nil for no functions.
  let settings: @Sendable () -> BlockingFunctionSettings?

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
      guard let caller = context.server.environment.functions else { throw .unreachable }
      // On an emulator the tools of this machine set the functions' addresses.
      let answer = try await caller.call(
        function.url, allowsPrivate: function.allowsPrivate || context.settings.isEmulator,
        body: try request(event, to: function))
      let verdict = try answer.verdict(at: event.moment)
      try requireNoConsoleClaim(verdict, of: event.user)
      return verdict
    } catch {
      guard error == .unreachable, event.moment == .beforeSignIn, function.allowsUnreachable else { throw error }
      context.notice(
        AccountsNotice(
          .warning, "the beforeSignIn function is unreachable; the sign-in is allowed, as onUnreachable says"))
      return .allow()
    }
  }

  /// Refuses an answer that gives an account the console's claim, or another value of it: any account administrator can
  /// set a function, but only the operator grants the claim.
  private func requireNoConsoleClaim(_ verdict: HookVerdict, of user: HookUser) throws(HookFailure) {
    guard let claim = context.configuration.consoleClaim, case .allow(let changes) = verdict else { return }
    let custom: JSON? = if case .set(let claims) = changes.customClaims { claims } else { nil }
    let present = user.customClaims?[claim]
    for given in [custom?[claim], changes.sessionClaims?[claim]].compactMap(\.self) where given != present {
      throw .badAnswer("The function's claims include \(claim), which opens the console. Only the operator can set it.")
    }
  }

  /// True for an account that opens the console. Its provider's tokens, with which it can sign in, are not passed to
  /// functions.
  private func opensConsole(_ user: HookUser) -> Bool {
    context.configuration.consoleClaim.map { user.customClaims?[$0] != nil } ?? false
  }

  private func request(
    _ event: HookEvent, to function: BlockingFunctionSettings.Function
  ) throws(HookFailure) -> [UInt8] {
    var event = event
    if opensConsole(event.user) { event.credential = nil }
    let isSigned = (function.signing ?? (context.settings.isEmulator ? .none : .rs256)) == .rs256
    do {
      let token = try context.keys.mintFunctionToken(
        claims: BlockingClaims.of(event), url: function.url, isSigned: isSigned,
        issuedAtSeconds: context.server.environment.clock().wallMilliseconds / 1000
          - BlockingFunctionLimits.backdatedSeconds,
        lifetimeSeconds: BlockingFunctionLimits.tokenLifetimeSeconds + BlockingFunctionLimits.backdatedSeconds)
      return JSON.object([JSON.Member("data", .object([JSON.Member("jwt", .string(token))]))]).text()
    } catch {
      context.notice(
        AccountsNotice(.error, "a request to a blocking function could not be created: \(error.code.rawValue)"))
      throw .badAnswer("The request to the function could not be created.")
    }
  }
}
