import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of each change of credentials in each kind of session, against ``proofChangeTable``.
@Suite struct CredentialChangeTableTests {
  private static let rows: [String: [String: String]] = {
    let lines = proofChangeTable.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
    }
    let names = lines[0]
    return Dictionary(
      lines.dropFirst().map { cells in (cells[0], Dictionary(zip(names, cells)) { first, _ in first }) },
      uniquingKeysWith: { first, _ in first })
  }()

  @Test("every change has a row, and every row has a change")
  func rows() { #expect(Set(Self.rows.keys) == Set(CredentialChange.allCases.map(\.rawValue))) }

  @Test(
    "Security 7: a credential change requires and ends what the table says, for each kind of session",
    arguments: CredentialChange.allCases)
  func row(_ change: CredentialChange) async throws {
    let row = try #require(Self.rows[change.rawValue])
    for isTenant in [false, true] {
      func check(_ column: String, _ outcome: (CredentialChangeFixture) async throws -> String) async throws {
        let told = try await outcome(try await CredentialChangeFixture(change, isTenant: isTenant))
        #expect(told == row[column], "\(change.rawValue), \(column), tenant: \(isTenant)")
      }
      try await check("old") { try await $0.asked(afterSeconds: 600) }
      try await check("unshown") { try await $0.asked(showsFactor: false) }
      try await check("before") { try await $0.askedFromBeforeTheFactor() }
      try await check("same") { try await $0.ends().same }
      try await check("other") { try await $0.ends().other }
      try await check("cookie") { try await $0.ends().cookie }
      try await check("anonymous") { try await $0.askedOfAnonymous() }
      try await check("admin") { try await $0.administered() }
      try await check("mail") { try await $0.ends().mail }
      try await check("late") { try await $0.askedByTheWayThatAnOldSessionAdds() }
    }
  }

  @Test("a session cookie is no ID token and authorizes no change")
  func cookie() async throws {
    let fixture = try await CredentialChangeFixture(.passwordChanged, isTenant: false)
    let cookie = try await fixture.cookie(of: fixture.session(.password))
    let refusal = #expect(throws: AccountError.self) {
      try fixture.accounts.sessions.callers.caller(idToken: cookie, now: fixture.identityFixture.accountsFixture.now)
    }
    #expect(refusal?.code == .invalidIDToken)
  }

  @Test(
    "removing a sign-in method keeps sessions of other methods",
    arguments: [
      CredentialChange.passwordUnlinked, .phoneUnlinked, .phoneReplaced, .providerUnlinked,
    ])
  func otherWay(_ change: CredentialChange) async throws {
    let fixture = try await CredentialChangeFixture(change, isTenant: false)
    let other = try await fixture.session(SignInContext("apple.com"))
    fixture.identityFixture.accountsFixture.advance(seconds: 1)
    try await fixture.make(by: try await fixture.session(.password))
    #expect(try await fixture.standing(of: other) == "goes on")
  }

  @Test("the store refuses a changed record with other credentials when the change is not named")
  func law() async throws {
    let fixture = try await CredentialChangeFixture(.passwordChanged, isTenant: false)
    for change in CredentialChange.allCases where change != .addressLinked {
      let user = try await CredentialChangeFixture(change, isTenant: false).changed()
      let refusal = await #expect(throws: AccountError.self) {
        try await fixture.accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
          try transaction.update(user)
        }
      }
      #expect(refusal?.code == .internalError, "\(change.rawValue)")
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// An account with every credential that a change needs, and sessions of it.
struct CredentialChangeFixture {
  let change: CredentialChange
  let identityFixture: IdentityFixture
  let accounts: Accounts
  private static let uid = "ann"

  init(_ change: CredentialChange, isTenant: Bool) async throws {
    self.change = change
    identityFixture = try IdentityFixture()
    if isTenant {
      let tenants = try #require(identityFixture.accounts.tenants)
      let administrator = Administrator(name: "test", client: .commandLine, now: identityFixture.accountsFixture.now)
      let tenant = try await tenants.create(by: administrator) { $0.allowsPasswords = true }
      accounts = try tenants.accounts(of: tenant.id)
    } else {
      accounts = identityFixture.accounts
    }
    try await put(Self.user(change, identityFixture))
  }

  private static func user(_ change: CredentialChange, _ identityFixture: IdentityFixture) -> UserRecord {
    var user = UserRecord(uid: uid, createdAtMilliseconds: identityFixture.accountsFixture.now.wallMilliseconds)
    (user.email, user.isEmailVerified) = ("ann@example.com", true)
    if change != .passwordLinked { user.password = StoredPassword(hash: "old", updatedAtMilliseconds: 1) }
    if change != .phoneLinked { user.phoneNumber = "+15550100" }
    user.identities = [ProviderIdentity(providerID: "google.com", rawID: "1")]
    user.passkeys = [passkey("kept")]
    user.recoveryCodes = ["first"]
    user.factors = [factor("shown")]
    return user
  }

  private static func passkey(_ id: String) -> Passkey {
    Passkey(id: id, name: "key", publicKey: "cose", userHandle: "h", enrolledAtMilliseconds: 1)
  }

  private static func factor(_ id: String) -> SecondFactor {
    SecondFactor(
      id: id, kind: .totp(sealedSecret: id, lastAcceptedStep: 1), displayName: nil, enrolledAtMilliseconds: 1)
  }

  func put(_ user: UserRecord) async throws {
    try await accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      if transaction.user(user.uid) == nil { return try transaction.insert(user) }
      try transaction.update(user, as: [.administered])
    }
  }

  var user: UserRecord { get throws { try #require(accounts.store.view.user(Self.uid)) } }

  // MARK: Sessions

  func session(_ signIn: SignInContext, showsFactor: Bool = true) async throws -> TokenTriple {
    try await accounts.sessions.refreshable.start(
      of: AuthenticatedUser(user, signIn), secondFactor: showsFactor ? "shown" : nil,
      client: identityFixture.accountsFixture.client(),
      now: identityFixture.accountsFixture.now
    ).tokens
  }

  func cookie(of session: TokenTriple) async throws -> String {
    let claims = try accounts.keys.verifyIDToken(session.idToken, nowSeconds: identityFixture.nowSeconds).claims
    return try accounts.keys.mintSessionCookie(
      claims: claims, issuedAtSeconds: identityFixture.nowSeconds, lifetimeSeconds: 86_400)
  }

  /// Returns the state of a session: it continues, cannot refresh, or has ended.
  func standing(of session: TokenTriple) async throws -> String {
    let credential = try accounts.keys.verifyIDToken(session.idToken, nowSeconds: identityFixture.nowSeconds)
    let counts = accounts.sessions.revocations.standing(of: credential) == .good
    let refreshes: Bool
    do throws(AccountError) {
      _ = try await accounts.sessions.refreshable.refresh(
        session.refreshToken, client: identityFixture.accountsFixture.client(), now: identityFixture.accountsFixture.now
      )
      refreshes = true
    } catch {
      #expect(error.code == .tokenExpired)
      refreshes = false
    }
    return switch (counts, refreshes) {
    case (true, true): "goes on"
    case (true, false): "no refresh"
    case (false, false): "ends"
    case (false, true): "refreshes alone"
    }
  }

  // MARK: The change

  /// The sign-in method of the change.
  var signIn: SignInContext {
    switch change {
    case .phoneLinked, .phoneReplaced, .phoneUnlinked: SignInContext(ProviderID.phone)
    case .providerLinked, .providerUnlinked: SignInContext("google.com")
    default: .password
    }
  }

  private static func apply(
    _ change: CredentialChange, _ transaction: inout AccountTransaction, _ user: inout UserRecord
  ) throws(AccountError) {
    switch change {
    case .passwordLinked, .passwordChanged, .passwordReset, .ownerIdentified, .administered, .changeReverted:
      user.password = StoredPassword(hash: "new", updatedAtMilliseconds: 2)
    case .passwordUnlinked: user.removeCredentials(["password"])
    case .addressLinked:
      user.email = user.email ?? "ann@example.com"
      user.hasEmailLink = true
    case .addressChanged, .addressConfirmed:
      try transaction.changeAddress(of: &user, to: "new@example.com", isVerified: true)
    case .phoneLinked, .phoneReplaced: user.phoneNumber = "+15550199"
    case .phoneUnlinked: user.removeCredentials(["phone"])
    case .providerLinked: user.identities.append(ProviderIdentity(providerID: "github.com", rawID: "2"))
    case .providerUnlinked: user.removeCredentials(["google.com"])
    case .factorEnrolled: user.factors.append(factor("added"))
    case .factorWithdrawn: user.factors = []
    case .recoveryCodesReplaced: user.recoveryCodes = ["second"]
    case .passkeyAdded: user.passkeys.append(passkey("added"))
    case .passkeyRemoved: user.passkeys = []
    }
  }

  /// Returns the account after the change.
  func changed() async throws -> UserRecord {
    let (change, user) = (change, try user)
    return try await accounts.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      var user = user
      try Self.apply(change, &transaction, &user)
      return user
    }
  }

  @discardableResult
  func make(by session: TokenTriple, uid: String = CredentialChangeFixture.uid) async throws(AccountError)
    -> TokenTriple?
  {
    let caller = try accounts.sessions.callers.caller(
      idToken: session.idToken, now: identityFixture.accountsFixture.now)
    let keepsSession =
      switch change {
      case .passwordUnlinked, .phoneUnlinked, .providerUnlinked, .recoveryCodesReplaced: true
      default: false
      }
    return try await make(by: .session(caller, keepsSession ? .same : .following), uid)
  }

  private func make(by authority: CredentialChangeService.Authority, _ uid: String) async throws(AccountError)
    -> TokenTriple?
  {
    let change = change
    return try await accounts.changes.credentials.change(
      [change], of: uid, by: authority, client: identityFixture.accountsFixture.client(),
      now: identityFixture.accountsFixture.now
    ) { (transaction, user) throws(AccountError) in
      try Self.apply(change, &transaction, &user)
    }.tokens
  }

  // MARK: Requirements

  func asked(afterSeconds seconds: Int64 = 0, showsFactor: Bool = true) async throws -> String {
    let session = try await session(.password, showsFactor: showsFactor)
    identityFixture.accountsFixture.advance(seconds: seconds)
    return await answer(to: session)
  }

  /// Enrols a factor in one session, and returns the answer to an older session of an attacker.
  func askedFromBeforeTheFactor() async throws -> String {
    var bare = try user
    (bare.factors, bare.recoveryCodes) = ([], [])
    try await put(bare)
    let before = try await session(.password, showsFactor: false)
    let own = try await session(.password, showsFactor: false)
    let caller = try accounts.sessions.callers.caller(idToken: own.idToken, now: identityFixture.accountsFixture.now)
    _ = try await accounts.changes.credentials.change(
      [.factorEnrolled], of: Self.uid, by: .session(caller, .following),
      client: identityFixture.accountsFixture.client(),
      now: identityFixture.accountsFixture.now
    ) { (_, user) throws(AccountError) in
      (user.factors, user.recoveryCodes) = ([Self.factor("shown")], ["first"])
    }
    #expect(try await standing(of: before) == "ends")
    return await answer(to: before)
  }

  func askedOfAnonymous() async throws -> String {
    guard [.passwordLinked, .addressLinked, .phoneLinked, .providerLinked, .passkeyAdded].contains(change) else {
      return "-"
    }
    let anonymous = UserRecord(
      uid: "guest", createdAtMilliseconds: identityFixture.accountsFixture.now.wallMilliseconds)
    try await put(Self.emptied(user))
    try await put(anonymous)
    let session = try await accounts.sessions.refreshable.start(
      of: AuthenticatedUser(anonymous, SignInContext(ProviderID.anonymous)),
      client: identityFixture.accountsFixture.client(),
      now: identityFixture.accountsFixture.now
    ).tokens
    identityFixture.accountsFixture.advance(seconds: 600)
    let answer = await answer(to: session, uid: "guest")
    return answer == "allowed" ? "upgrades" : answer
  }

  /// Returns the user without its identifiers, so that another account may have them.
  private static func emptied(_ user: UserRecord) -> UserRecord {
    UserRecord(uid: user.uid, createdAtMilliseconds: user.createdAtMilliseconds)
  }

  private func answer(to session: TokenTriple, uid: String = CredentialChangeFixture.uid) async -> String {
    do throws(AccountError) {
      try await make(by: session, uid: uid)
      return "allowed"
    } catch {
      switch error.code {
      case .credentialTooOld, .tokenExpired: return "refused"
      // A session cannot make this change.
      case .internalError where change.terms.requiredAuthority == .mailedCode: return "by mail"
      case .internalError where change.terms.requiredAuthority == .elsewhere: return "never"
      default: return "\(error)"
      }
    }
  }

  // MARK: Ended sessions

  func ends() async throws -> (same: String, other: String, cookie: String, mail: String) {
    guard change.terms.requiredAuthority != .elsewhere else { return ("-", "-", "-", "-") }
    let other = try await session(signIn)
    let cookie = try await cookie(of: other)
    identityFixture.accountsFixture.advance(seconds: 1)
    let own = try await session(.password)
    identityFixture.accountsFixture.advance(seconds: 1)
    var same: String
    if change.terms.requiredAuthority == .mailedCode {
      _ = try await make(by: .mailedCode, Self.uid)
      same = try await standing(of: own)
    } else {
      let tokens = try await make(by: own)
      same = try await standing(of: own)
      if let tokens { #expect(try await standing(of: tokens) == "goes on") }
      if same == "ends", tokens != nil { same = "anew" }
    }
    let shown = try accounts.keys.verifySessionCookie(cookie, nowSeconds: identityFixture.nowSeconds)
    let counts = accounts.sessions.revocations.standing(of: shown) == .good
    let mail = await identityFixture.mails().last
    #expect(mail == nil || mail?.to == "ann@example.com" && mail?.link != nil)
    return (same, try await standing(of: other), counts ? "counts" : "ends", mail?.kind.rawValue ?? "-")
  }

  func administered() async throws -> String {
    var wanted = AccountChange()
    switch change {
    case .passwordLinked, .passwordChanged:
      wanted.password = .set(StoredPassword(hash: "new", updatedAtMilliseconds: 2))
    case .passwordUnlinked: wanted.unlinked = ["password"]
    case .addressChanged: wanted.email = .set("new@example.com")
    case .phoneLinked, .phoneReplaced: wanted.phoneNumber = .set("+15550199")
    case .phoneUnlinked: wanted.unlinked = ["phone"]
    case .providerLinked: wanted.linked = ProviderIdentity(providerID: "github.com", rawID: "2")
    case .providerUnlinked: wanted.unlinked = ["google.com"]
    case .factorEnrolled:
      wanted.factors = ["shown": FactorChange.Kind.totp(sealedSecret: nil), "added": .phone("+15550198")].map {
        FactorChange(id: $0, kind: $1, displayName: nil, enrolledAtMilliseconds: nil, nowMilliseconds: 1)
      }
    case .factorWithdrawn: wanted.factors = []
    case .passkeyRemoved: wanted.removedPasskeys = ["kept"]
    case .addressLinked, .recoveryCodesReplaced, .passkeyAdded, .passwordReset, .addressConfirmed, .changeReverted,
      .ownerIdentified, .administered:
      return "-"
    }
    let session = try await session(signIn)
    identityFixture.accountsFixture.advance(seconds: 1)
    _ = try await accounts.administration.users.update(
      uid: Self.uid, wanted, password: nil,
      by: Administrator(name: "test", client: .commandLine, now: identityFixture.accountsFixture.now))
    return try await standing(of: session) == "goes on" ? "stays" : "ends"
  }
}
