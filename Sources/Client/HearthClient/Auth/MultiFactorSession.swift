/// A session in which a second factor is enrolled, or in which a sign-in waits for its second factor.
public final class MultiFactorSession: Sendable, CustomReflectable {
  enum Subject: Sendable {
    /// The signed-in user that enrols a factor.
    case user(User)
    /// The server's text for a sign-in whose first factor is proven, a secret.
    case pendingSignIn(String)
  }

  let subject: Subject

  init(_ subject: Subject) { self.subject = subject }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
