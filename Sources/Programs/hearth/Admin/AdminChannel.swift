import HearthProgram
import HearthTree

/// An administrator's way to the accounts of one deployment. Commands work the same over a
/// running server and over a stopped folder that they open themselves.
protocol AdminChannel: Sendable {
  /// Who answers, for messages: `the server on http://127.0.0.1:9000`.
  var place: String { get }

  /// A running server answers.
  var isServer: Bool { get }

  /// One request of the identity interface, or for receipts, made as an administrator.
  ///
  /// - Throws: ``AdminFailure``.
  func send(_ request: AdminRequest) async throws -> JSON

  /// Ends the channel; a folder can be opened by others afterwards.
  func close() async
}

/// One request to the identity interface or to the server's own administration.
struct AdminRequest: Sendable {
  var method = "POST"
  var path: String
  var query: [(name: String, value: String)] = []
  var body: JSON?

  /// The server's own administration: what comes after `/hearth/v1/`.
  static func hearth(_ operation: String, _ body: JSON = [:]) -> AdminRequest {
    AdminRequest(path: "/hearth/v1/" + operation, body: body)
  }

  /// An operation on a project's accounts: `accounts:lookup`.
  static func accounts(_ operation: String, of project: String, _ body: JSON) -> AdminRequest {
    AdminRequest(path: accountsPath(operation, of: project), body: body)
  }

  /// The path of such an operation, or of one on the accounts of a tenant of the project.
  static func accountsPath(_ operation: String, of project: String, tenant: String? = nil) -> String {
    "/identitytoolkit.googleapis.com/v1/projects/\(project)/" + (tenant.map { "tenants/\($0)/" } ?? "") + operation
  }

  /// The path with the query behind it, percent-encoded.
  var target: String {
    guard !query.isEmpty else { return path }
    return path + "?"
      + query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
  }
}

/// The reason why an administrator's request was not done.
struct AdminFailure: Error, CustomStringConvertible {
  /// The protocol's code, such as `EMAIL_EXISTS`; nil when no answer came.
  var code: String?
  /// What went wrong, where, and what to do about it.
  var description: String

  init(_ description: String) { self.description = description }

  /// The failure that a server's answer describes, in words of the command line.
  init(answer: JSON?, status: Int, place: String) {
    let error = answer?["error"]
    let message = error?["message"]?.string ?? error?.string ?? "status \(status)"
    let code = Self.code(of: message)
    self.code = code
    let advice = Self.advice(code).map { " - \($0)" } ?? ""
    description = "\(place) refused it: \(TextTable.printable(message))\(advice)"
  }

  /// The code at the beginning of a message, before " : ".
  private static func code(of message: String) -> String {
    String(message.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
  }

  private static func advice(_ code: String) -> String? {
    switch code {
    case "EMAIL_EXISTS": "another account has this address; see it with: hearth users show ADDRESS"
    case "DUPLICATE_LOCAL_ID": "the uid is taken"
    case "PHONE_NUMBER_EXISTS": "another account has this number; see it with: hearth users show NUMBER"
    case "USER_NOT_FOUND": "there is no such account; hearth users list shows those that exist"
    case "TENANT_NOT_FOUND": "there is no such tenant; hearth tenants list shows those that exist"
    case "UNAUTHENTICATED":
      "the administrator's token does not count there; name the server's own --data folder, or its --token-file"
    case "PASSWORD_LOGIN_DISABLED", "OPERATION_NOT_ALLOWED":
      "the sign-in method may be switched off; see --sign-in and --auth-config of hearth serve"
    case "NOT_IMPLEMENTED": "this server does not serve that"
    default: nil
    }
  }
}
