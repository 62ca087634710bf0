/// The services that begin, continue and end sessions, and that make and check their tokens.
package struct SessionServices: Sendable {
  /// The plugins and functions that decide about each sign-in.
  let hooks: SignInHooks
  /// The last step of every sign-in: asks the hooks, and stores their decisions with everything else.
  package let admission: SignInAdmission
  /// Sessions with their refresh tokens: begun, refreshed, ended.
  package let refreshable: Sessions
  /// Sessions of 2.x clients: one legacy token each, never refreshed.
  package let legacy: LegacySessions
  /// Session cookies of an app's own servers.
  package let cookies: SessionCookies
  /// Identifies the user of a request's ID token.
  package let callers: IDTokenAuthenticator
  /// Revokes tokens, and checks tokens for revocation.
  package let revocations: Revocations
  /// Tokens of other issuers, as plugins verify them.
  package let foreignTokens: ForeignTokens

  init(_ context: AccountsContext) {
    let functions = FunctionAdministration(context: context.project ?? context)
    hooks = SignInHooks(
      context: context, last: [BlockingFunctions(context: context, settings: { functions.blocking })])
    admission = SignInAdmission(
      context: context, hooks: hooks, names: NameReservations(schedule: context.server.environment.schedule))
    refreshable = Sessions(context: context, admission: admission)
    legacy = LegacySessions(context: context, admission: admission)
    cookies = SessionCookies(context: context)
    callers = IDTokenAuthenticator(context: context)
    revocations = Revocations(context: context)
    foreignTokens = ForeignTokens(
      .init(
        projectID: context.server.configuration.projectID,
        verifiers: { [plugins = context.plugins] in plugins.verifiers },
        clock: context.server.environment.clock, announce: context.announce,
        record: { [audit = context.audit] in await audit.record($0) }, notice: context.notice))
  }
}
