/// A verifier of tokens that this server did not make: a JWT of another issuer, a session key of an app's own back end.
///
/// Clients show such a token where they would show one of the server's: as `auth` of a socket, as `auth` or
/// `access_token` or bearer of a request. The server's own tokens and database secrets, and texts that look like them,
/// go to no verifier.
public protocol TokenVerifier: Sendable {
  /// The verifier's name for clients and the operator's log when it fails. Unique among those of a server.
  var name: String { get }

  /// The tokens that go to the verifier. Of several verifiers only the one that matches a token most exactly is called.
  var selection: TokenSelection { get }

  /// The revision of the rules that the verifier decides by. Answers under another revision are not cached.
  var revision: String { get }

  /// Checks one token. Called for many concurrently, and never twice at a time for the same.
  ///
  /// - Parameter question: its token is untrusted: a client can send any text.
  /// - Throws: any error when the verifier could not decide. The client is told that the named verifier could not check
  ///   the token; so it is after ten seconds without an answer.
  func verify(_ question: TokenQuestion) async throws -> TokenAnswer
}

extension TokenVerifier {
  /// The default: one revision for as long as the server runs.
  public var revision: String { "" }
}

/// A token to check.
public struct TokenQuestion: Sendable, Codable, Equatable {
  /// The id of the question in logs.
  public var id: String
  /// Secret. The token as the client sent it: 1 to 16,384 visible characters of ASCII.
  public var token: String
  /// SHA-256 of ``token`` in lower-case hexadecimal: the name of the token in a ``TokenRevocation``. Not secret.
  public var digest: String
  /// The server's project.
  public var projectID: String
  /// The time in seconds since 1970, by the server's clock.
  public var nowSeconds: Int64

  /// Creates a question as the server makes it, for tests of a verifier.
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
