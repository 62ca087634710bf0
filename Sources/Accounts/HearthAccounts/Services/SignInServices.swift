/// The services that sign users in: each sign-in method, and the second factors.
package struct SignInServices: Sendable {
  /// The sign-in plugins.
  package let providers: SignInProviders
  /// Sign-in with e-mail address and password.
  package let passwords: PasswordSignIn
  /// Anonymous accounts: new ones without any credential.
  package let anonymous: AnonymousSignIn
  /// Sign-in with custom tokens, which an app's own servers sign.
  package let customTokens: CustomTokenSignIn
  /// Sign-in with the credentials of other providers, such as Google's.
  package let federated: FederatedSignIn
  /// Sends browsers to other providers' pages and takes their answers.
  package let providerPages: ProviderPages
  /// Sends browsers to the pages of SAML identity providers and takes their answers.
  package let samlPages: SAMLPages
  /// Seals the outcome of a sign-in on a provider's page for a native app.
  package let nativeAnswers: NativeAnswers
  /// Sign-in by a mailed link.
  package let emailLinks: EmailLinkSignIn
  /// Sign-in with a phone number.
  package let phones: PhoneSignIn
  /// The second factors of a sign-in.
  package let secondFactors: SecondFactors
  /// Adding and removing second factors.
  package let enrolment: FactorEnrolment
  /// Sign-in with passkeys.
  package let passkeys: PasskeySignIn
  /// Adding and removing passkeys.
  package let passkeyEnrolment: PasskeyEnrolment

  init(
    _ context: AccountsContext, providers: SignInProviders, sessions: SessionServices, changes: ChangeServices
  ) {
    let (hooks, sessions, recovery) = (sessions.hooks, sessions.refreshable, changes.recoveryCodes)
    let (credentials, newPasswords) = (changes.credentials, changes.passwords)
    self.providers = providers
    passwords = PasswordSignIn(
      context: context, providers: providers, passwords: newPasswords, sessions: sessions, changes: credentials)
    anonymous = AnonymousSignIn(providers: providers, signUp: SignUp(context: context))
    customTokens = CustomTokenSignIn(context: context, providers: providers)
    federated = FederatedSignIn(
      context: context, providers: providers, sessions: sessions, changes: credentials, hooks: hooks)
    providerPages = ProviderPages(context: context, providers: providers)
    samlPages = SAMLPages(context: context, providers: providers)
    nativeAnswers = NativeAnswers(context: context)
    emailLinks = EmailLinkSignIn(
      context: context, providers: providers, sessions: sessions, changes: credentials)
    let codes = PhoneCodes(context: context, premium: PremiumNumberFilter(notice: context.notice))
    let factors = PhoneFactors(context: context, codes: codes)
    secondFactors = SecondFactors(context: context, sessions: sessions, phones: factors, recovery: recovery)
    enrolment = FactorEnrolment(
      context: context, sessions: sessions, changes: credentials, phones: factors, recovery: recovery)
    phones = PhoneSignIn(
      context: context, sessions: sessions, secondFactors: secondFactors, changes: credentials, codes: codes)
    passkeys = PasskeySignIn(
      context: context, providers: providers, sessions: sessions, secondFactors: secondFactors)
    passkeyEnrolment = PasskeyEnrolment(context: context, sessions: sessions, changes: credentials)
  }
}
