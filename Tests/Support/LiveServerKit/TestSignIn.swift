import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization

/// Signs in with a password and, by mail, with a code; refuses passwords shorter than six characters.
package struct TestPasswords: SignInProvider {
  /// What it is.
  package let manifest = ProviderManifest(id: "password", displayName: "E-mail", methods: [.password, .emailLink])

  /// The provider.
  package init() {}

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard let email = request.parameters["email"], !email.isEmpty else { return .refused(.init(.missingEmail)) }
    if request.method == .emailLink {
      guard let code = request.parameters["code"] else { return .refused(.init(.missingCode)) }
      return .emailCode(EmailCodeProof(email: email, code: code))
    }
    guard let password = request.parameters["password"], !password.isEmpty else {
      return .refused(.init(.missingPassword))
    }
    if request.operation != .signIn, password.unicodeScalars.count < 6 {
      return .refused(.init(.weakPassword, "Password should be at least 6 characters"))
    }
    return .password(PasswordProof(email: email, password: password))
  }
}

/// Signs in everybody as a guest.
package struct TestAnonymous: SignInProvider {
  /// What it is.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Guest", methods: [.anonymous])

  /// The provider.
  package init() {}

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer { .anonymous }
}

/// Takes `uid:<name>` at its word: what is tested is what becomes of the answer.
package struct TestCustomTokens: SignInProvider {
  /// What it is.
  package let manifest = ProviderManifest(id: "custom", displayName: "Token", methods: [.customToken])

  /// The provider.
  package init() {}

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard let token = request.parameters["token"], token.hasPrefix("uid:") else {
      return .refused(.init(.invalidCustomToken))
    }
    return .user(NamedUser(uid: String(token.dropFirst(4))))
  }
}

/// Answers when it is told to.
package final class SlowProvider: SignInProvider {
  /// What it is.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Slow", methods: [.anonymous])
  private let state = Mutex<(isOpen: Bool, asked: Int)>((false, 0))

  /// Does not answer yet.
  package init() {}

  /// How often it was asked.
  package var askedCount: Int { state.withLock { $0.asked } }
  /// Lets it answer.
  package func open() { state.withLock { $0.isOpen = true } }

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    state.withLock { $0.asked += 1 }
    while !state.withLock({ $0.isOpen }) { try await Task.sleep(nanoseconds: 2_000_000) }
    return .anonymous
  }
}

/// Fails like a plugin with a bug, with words that nobody outside may read.
package struct BrokenProvider: SignInProvider {
  struct Failure: Error {
    let description = "SELECT hash FROM users at /srv/secret/path.swift:12"
  }

  /// The provider.
  package init() {}

  /// What it is.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Broken", methods: [.anonymous])

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer { throw Failure() }
}

/// Keeps the mails.
package final class TestMailer: Mailer {
  private let sent = Mutex<[MailMessage]>([])

  /// Has sent none.
  package init() {}

  /// All mails so far.
  package var messages: [MailMessage] { sent.withLock { $0 } }

  /// Takes a mail.
  package func send(_ message: MailMessage) async throws { sent.withLock { $0.append(message) } }

  private struct NoMail: Error {}

  /// The newest link of that kind, which may still be on its way.
  package func link(_ kind: MailMessage.Kind) async throws -> String {
    var link: String?
    try await Patience.until {
      link = messages.last { $0.kind == kind }?.link
      return link != nil
    }
    guard let link else { throw NoMail() }
    return link
  }
}

/// A mailer whose server is down.
package struct BrokenMailer: Mailer {
  struct Failure: Error {}

  /// The mailer.
  package init() {}

  /// Takes a mail.
  package func send(_ message: MailMessage) async throws { throw Failure() }
}

/// Takes `person:<id>` or `person:<id>:<e-mail>` at its word, as an ID token or an access token.
package struct TestIdentities: SignInProvider {
  /// What it is.
  package let manifest: ProviderManifest

  /// - Parameter id: `google.com` and the like.
  package init(id: String) { manifest = ProviderManifest(id: id, displayName: id, methods: [.credential]) }

  /// Answers.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    let token = request.parameters["id_token"] ?? request.parameters["access_token"] ?? ""
    let parts = token.split(separator: ":").map(String.init)
    guard parts.count >= 2, parts[0] == "person" else { return .refused(.init(.invalidCredential)) }
    var identity = ForeignIdentity(rawID: parts[1], email: parts.count > 2 ? parts[2] : nil, isEmailVerified: true)
    identity.displayName = "Person \(parts[1])"
    identity.screenName = "at_\(parts[1])"
    identity.profile = .object([JSON.Member("likes", .string("tea"))])
    return .identity(identity)
  }
}
