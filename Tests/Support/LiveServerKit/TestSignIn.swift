import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization

/// A provider that signs in with a password or a mailed code, and refuses passwords shorter than six characters.
package struct TestPasswords: SignInProvider {
  /// The provider's manifest.
  package let manifest = ProviderManifest(id: "password", displayName: "E-mail", methods: [.password, .emailLink])

  /// Creates the provider.
  package init() {}

  /// Answers a sign-in request.
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

/// A provider that signs in every client as a guest.
package struct TestAnonymous: SignInProvider {
  /// The provider's manifest.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Guest", methods: [.anonymous])

  /// Creates the provider.
  package init() {}

  /// Answers every request with a guest account.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer { .anonymous }
}

/// A provider that accepts `uid:<name>` without verification, for tests of the server's use of the answer.
package struct TestCustomTokens: SignInProvider {
  /// The provider's manifest.
  package let manifest = ProviderManifest(id: "custom", displayName: "Token", methods: [.customToken])

  /// Creates the provider.
  package init() {}

  /// Answers a sign-in request.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard let token = request.parameters["token"], token.hasPrefix("uid:") else {
      return .refused(.init(.invalidCustomToken))
    }
    return .user(NamedUser(uid: String(token.dropFirst(4))))
  }
}

/// A provider that answers only after ``open()``.
package final class SlowProvider: SignInProvider {
  /// The provider's manifest.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Slow", methods: [.anonymous])
  private let state = Mutex<(isOpen: Bool, asked: Int)>((false, 0))

  /// Creates a provider that does not answer yet.
  package init() {}

  /// The number of requests.
  package var askedCount: Int { state.withLock { $0.asked } }
  /// Unblocks the provider, so that it answers.
  package func open() { state.withLock { $0.isOpen = true } }

  /// Answers once the provider is open.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    state.withLock { $0.asked += 1 }
    while !state.withLock({ $0.isOpen }) { try await Task.sleep(nanoseconds: 2_000_000) }
    return .anonymous
  }
}

/// A provider that fails like a plugin with a bug; its error text must not reach clients.
package struct BrokenProvider: SignInProvider {
  struct Failure: Error {
    let description = "SELECT hash FROM users at /srv/secret/path.swift:12"
  }

  /// Creates the provider.
  package init() {}

  /// The provider's manifest.
  package let manifest = ProviderManifest(id: "anonymous", displayName: "Broken", methods: [.anonymous])

  /// Throws an error for every request.
  package func answer(_ request: SignInRequest) async throws -> SignInAnswer { throw Failure() }
}

/// A mailer that keeps the mails instead of sending them.
package final class TestMailer: Mailer {
  private let sent = Mutex<[MailMessage]>([])

  /// Creates a mailer without mails.
  package init() {}

  /// All sent mails so far.
  package var messages: [MailMessage] { sent.withLock { $0 } }

  /// Records a mail.
  package func send(_ message: MailMessage) async throws { sent.withLock { $0.append(message) } }

  private struct NoMail: Error {}

  /// Returns the newest link of this kind, and waits for a mail that is still being sent.
  package func link(_ kind: MailMessage.Kind) async throws -> String {
    var link: String?
    try await Polling.until {
      link = messages.last { $0.kind == kind }?.link
      return link != nil
    }
    guard let link else { throw NoMail() }
    return link
  }
}

/// A mailer without a reachable server.
package struct BrokenMailer: Mailer {
  struct Failure: Error {}

  /// Creates the mailer.
  package init() {}

  /// Throws an error for every mail.
  package func send(_ message: MailMessage) async throws { throw Failure() }
}

/// A provider that accepts `person:<id>` or `person:<id>:<e-mail>` without verification, as an ID token or an access
/// token.
package struct TestIdentities: SignInProvider {
  /// The provider's manifest.
  package let manifest: ProviderManifest

  /// Creates the provider.
  ///
  /// - Parameter id: A provider ID such as `google.com`.
  package init(id: String) { manifest = ProviderManifest(id: id, displayName: id, methods: [.credential]) }

  /// Answers a sign-in request.
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
