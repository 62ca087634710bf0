/// Checks passwords against another system's, so that people move here as they sign in.
///
/// Asked about an e-mail address that has no account here, or one whose account was imported without its password. On
/// yes the server makes the account, stores the password as it stores all, and does not ask about that address again: not
/// when the account is deleted later, nor when it gets another address.
///
/// A wrong password of an account that is here is followed by a question about an address that nobody has, so that the
/// time of an answer does not tell which addresses have accounts. For the same reason a checker takes as long for an
/// address that it does not know as for a wrong password. One that throws, or does not answer within ten seconds, lets
/// nobody in.
public protocol PasswordChecker: Sendable {
  /// What the operator's log and clients are told when it does not answer.
  var name: String { get }

  /// Says whose address and password these are.
  ///
  /// - Throws: any error when it could not decide; nobody comes in then.
  func check(_ question: PasswordCheck) async throws -> PasswordCheckAnswer
}

/// An address and a password that the server does not know.
public struct PasswordCheck: Sendable, Codable, Equatable {
  /// Names the request in logs.
  public var id: String
  /// In canonical form: in lower case.
  public var email: String
  /// Secret. Byte for byte as the client sent it, 1 to 4,096 bytes.
  public var password: String
  /// The account that was imported with this address and without its password; nil when the address has no account.
  public var uid: String?
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String

  /// A question as the server asks it.
  public init(id: String, email: String, password: String, uid: String? = nil, clientAddress: String) {
    self.id = id
    self.email = email
    self.password = password
    self.uid = uid
    self.clientAddress = clientAddress
  }
}
