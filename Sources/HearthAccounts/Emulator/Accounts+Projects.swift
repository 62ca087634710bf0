import HearthCrypto
import HearthJournal
import HearthTree

/// A secret text by which a client shows whose accounts it means.
package enum ShownText: Sendable {
  case idToken(String)
  case refreshToken(String)
  /// A mailed code, a pending second factor or a pending identity.
  case ticket(String)
  /// What stands for a code of a phone sign-in.
  case phoneSession(String)
}

extension ShownText: Redacted {}

/// Whose accounts a request or a credential is about: those of the server's one project, or on an emulator those of the
/// project that it names.
extension Accounts {
  /// The accounts of a project that a client named; an emulator makes them when they are not there.
  ///
  /// - Throws: `configurationNotFound` for another project than the server's, and on an emulator for what can be no
  ///   project or is one too many.
  package func accounts(of id: String) throws(AccountError) -> Accounts {
    if id == configuration.projectID || id == configuration.projectNumber { return self }
    guard let projects else { throw AccountError(.configurationNotFound, "This server has another project.") }
    if let known = known(id) { return known }
    guard EmulatedProjects.isID(id) else {
      throw AccountError(.configurationNotFound, "A project's id has 1 to 64 letters, digits and - . _ :")
    }
    let made = try beside(id)
    guard let kept = projects.add(id, made) else {
      made.store.close()
      throw AccountError(
        .configurationNotFound,
        "The emulator has \(EmulatedProjects.countMax) projects already. Start it again, or use fewer ids.")
    }
    guard kept === made else {
      made.store.close()
      return kept
    }
    environment.notice(
      AccountsNotice(
        .info,
        "project \(id) has users of its own from now on, until the server stops; clients that name an API key alone are "
          + "of \(configuration.projectID), which --project says"))
    return kept
  }

  /// The accounts whose discovery document anybody may read: that makes no project.
  package func discovered(_ id: String) throws(AccountError) -> Accounts {
    if projects != nil, let known = known(id) { return known }
    guard id == configuration.projectID || id == configuration.projectNumber else {
      throw AccountError(.configurationNotFound, "This server has another project.")
    }
    return self
  }

  /// An emulator's project of that id, when somebody has used it; nil for the server's own.
  private func known(_ id: String) -> Accounts? {
    guard let other = projects?.accounts(of: id) else { return nil }
    other.keys.follow(keys)
    return other
  }

  private func beside(_ id: String) throws(AccountError) -> Accounts {
    do {
      let store = try AccountStore(
        journal: VolatileJournal(), environment: environment, projectID: id, limits: AccountStoreLimits(configuration))
      return Accounts(of: id, store: store, beside: self)
    } catch {
      environment.notice(AccountsNotice(.error, "the project \(id) could not be made: \(error)"))
      throw AccountError(.unavailable)
    }
  }

  /// Whose token, code or session a client shows that names no project: API keys are all the same here.
  ///
  /// - Parameter shown: nil for a client that shows none; those are of the server's own project.
  package func holder(of shown: ShownText?) -> Accounts {
    guard let projects, let shown else { return self }
    switch shown {
    case .idToken(let token): return home(ofToken: token)
    case .refreshToken(let token):
      let hash = Digest(sha256: token.utf8)
      return projects.all.first { $0.store.view.session(hash) != nil } ?? self
    case .ticket(let ticket):
      let hash = Digest(sha256: ticket.utf8)
      return projects.all.first { $0.store.view.ticket(hash) != nil } ?? self
    case .phoneSession(let session):
      return projects.all.first { $0.emulation?.phoneCodes { $0.knows(session) } == true } ?? self
    }
  }

  /// The accounts whose keys and users a token is judged by. What it says is not verified and grants nothing.
  public func home(ofToken text: String) -> Accounts {
    guard projects != nil, let token = try? TokenReader.read(text) else { return self }
    return home(ofAudience: token.payload["aud"])
  }

  /// The accounts that a verified credential is of.
  public func home(of credential: VerifiedCredential) -> Accounts {
    guard projects != nil else { return self }
    return home(ofAudience: credential.claims["aud"])
  }

  private func home(ofAudience audience: ClaimValue?) -> Accounts { audience?.string.flatMap { known($0) } ?? self }

  /// Forgets an emulator's further projects. Blocks until their queues are empty.
  public func closeProjects() {
    for other in projects?.all ?? [] { other.store.close() }
  }
}
