/// A checker of passwords against another system, which moves users to this server as they sign in.
///
/// Called for an e-mail address that has no account here, or whose account was imported without its password. When the
/// password is right, the server makes the account, stores the password as it stores all, and does not ask about that
/// address again: not when the account is deleted later, nor when it gets another address.
///
/// A wrong password of an existing account is followed by a question about an unused address, so that response times do
/// not reveal which addresses have accounts. For the same reason a checker takes as long for an unknown address as for
/// a wrong password. When a checker throws, or does not answer within ten seconds, the sign-in is refused.
public protocol PasswordChecker: Sendable {
  /// The checker's name, which the operator's log and clients get when it does not answer.
  var name: String { get }

  /// Returns the account that the address and the password belong to.
  ///
  /// - Throws: any error when the checker could not decide; the sign-in is refused then.
  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer
}

/// An address and a password that the server has no hash for.
public struct PasswordCheck: Sendable, Codable, Equatable {
  /// The id of the request in logs.
  public var id: String
  /// The address in canonical form: in lower case.
  public var email: String
  /// Secret. Byte for byte as the client sent it, 1 to 4,096 bytes.
  public var password: String
  /// The uid of the account that was imported with this address and without its password; nil when the address has no
  /// account.
  public var uid: String?
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String

  /// Creates a question as the server makes it.
  public init(id: String, email: String, password: String, uid: String? = nil, clientAddress: String) {
    self.id = id
    self.email = email
    self.password = password
    self.uid = uid
    self.clientAddress = clientAddress
  }
}
