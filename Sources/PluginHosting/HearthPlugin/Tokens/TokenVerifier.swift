/// Says whose a token is that this server did not make: a JWT of another issuer, a session key of an app's own back end.
///
/// Clients show such a token where they would show one of the server's: as `auth` of a socket, as `auth` or
/// `access_token` or bearer of a request. The server's own tokens, database secrets, and what looks like one of them, are
/// told to nobody.
public protocol TokenVerifier: Sendable {
  /// What clients and the operator's log call the verifier when it fails. Unique among those of a server.
  var name: String { get }

  /// Which tokens it is asked about. Of several verifiers the one that names a token most exactly is asked, and no other.
  var selection: TokenSelection { get }

  /// Changes with whatever the verifier decides by. What it said under another revision is not remembered.
  var revision: String { get }

  /// Looks at one token. Called for many at once, and never twice at a time for the same.
  ///
  /// - Parameter question: its token is untrusted: anybody can show any text.
  /// - Throws: any error when the verifier could not decide. The client is told that the token could not be checked, and by
  ///   whom; so it is after ten seconds without an answer.
  func verify(_ question: TokenQuestion) async throws -> TokenAnswer
}

extension TokenVerifier {
  /// The same for as long as the server runs.
  public var revision: String { "" }
}

/// A token to be looked at.
public struct TokenQuestion: Sendable, Codable, Equatable {
  /// Names the question in logs.
  public var id: String
  /// Secret. As the client sent it: 1 to 16,384 visible characters of ASCII.
  public var token: String
  /// SHA-256 of ``token`` in lower-case hexadecimal: the name of the token in a ``TokenRevocation``. Not secret.
  public var digest: String
  /// The server's project.
  public var projectID: String
  /// Seconds since 1970, by the server's clock.
  public var nowSeconds: Int64

  /// A question as the server asks it, for tests of a verifier.
  public init(id: String, token: String, digest: String, projectID: String, nowSeconds: Int64) {
    self.id = id
    self.token = token
    self.digest = digest
    self.projectID = projectID
    self.nowSeconds = nowSeconds
  }
}

extension TokenQuestion: CustomStringConvertible, CustomReflectable {
  /// The question's id and the token's digest.
  public var description: String { "<TokenQuestion \(id): \(digest)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
