import HearthPlugin
import HearthTestKit
import Synchronization

/// Signs in with a password and, by mail, with a code; refuses passwords shorter than six characters.
struct TestPasswords: SignInProvider {
  let manifest = ProviderManifest(id: "password", displayName: "E-mail", methods: [.password, .emailLink])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
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

struct TestAnonymous: SignInProvider {
  let manifest = ProviderManifest(id: "anonymous", displayName: "Guest", methods: [.anonymous])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer { .anonymous }
}

/// Takes `uid:<name>` at its word: what is tested is what becomes of the answer.
struct TestCustomTokens: SignInProvider {
  let manifest = ProviderManifest(id: "custom", displayName: "Token", methods: [.customToken])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard let token = request.parameters["token"], token.hasPrefix("uid:") else {
      return .refused(.init(.invalidCustomToken))
    }
    return .user(NamedUser(uid: String(token.dropFirst(4))))
  }
}

/// Answers when it is told to.
final class SlowProvider: SignInProvider {
  let manifest = ProviderManifest(id: "anonymous", displayName: "Slow", methods: [.anonymous])
  private let state = Mutex<(isOpen: Bool, asked: Int)>((false, 0))

  var askedCount: Int { state.withLock { $0.asked } }
  func open() { state.withLock { $0.isOpen = true } }

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    state.withLock { $0.asked += 1 }
    while !state.withLock({ $0.isOpen }) { try await Task.sleep(nanoseconds: 2_000_000) }
    return .anonymous
  }
}

/// Fails like a plugin with a bug, with words that nobody outside may read.
struct BrokenProvider: SignInProvider {
  struct Failure: Error {
    let description = "SELECT hash FROM users at /srv/secret/path.swift:12"
  }

  let manifest = ProviderManifest(id: "anonymous", displayName: "Broken", methods: [.anonymous])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer { throw Failure() }
}

/// Keeps the mails.
final class TestMailer: Mailer {
  private let sent = Mutex<[MailMessage]>([])

  var messages: [MailMessage] { sent.withLock { $0 } }

  func send(_ message: MailMessage) async throws { sent.withLock { $0.append(message) } }

  /// The newest link of that kind, which may still be on its way.
  func link(_ kind: MailMessage.Kind) async throws -> String {
    var link: String?
    try await Patience.until {
      link = messages.last { $0.kind == kind }?.link
      return link != nil
    }
    guard let link else { throw LiveConnection.Ended() }
    return link
  }
}

/// A mailer whose server is down.
struct BrokenMailer: Mailer {
  struct Failure: Error {}

  func send(_ message: MailMessage) async throws { throw Failure() }
}
