import HearthProgram
import HearthTree

/// An administrator's access to the accounts of one deployment. Commands work the same over a running server and over a
/// stopped folder that they open themselves.
protocol AdminChannel: Sendable {
  /// The answering server or folder, for messages: `the server on http://127.0.0.1:9000`.
  var place: String { get }

  /// True when a running server answers.
  var isServer: Bool { get }

  /// Sends a request of the identity interface, or for receipts, as an administrator.
  ///
  /// - Throws: ``AdminFailure``.
  func send(_ request: AdminRequest) async throws -> JSON

  /// Closes the channel; another process can open a folder afterwards.
  func close() async
}

/// A request to the identity interface or to the server's own administration.
struct AdminRequest: Sendable {
  var method = "POST"
  var path: String
  var query: [(name: String, value: String)] = []
  var body: JSON?

  /// Returns a request to the server's own administration: the path after `/hearth/v1/`.
  static func hearth(_ operation: String, _ body: JSON = [:]) -> AdminRequest {
    AdminRequest(path: "/hearth/v1/" + operation, body: body)
  }

  /// Returns an operation on a project's accounts: `accounts:lookup`.
  static func accounts(_ operation: String, of project: String, _ body: JSON) -> AdminRequest {
    AdminRequest(path: accountsPath(operation, of: project), body: body)
  }

  /// Returns the path of an operation on a project's accounts, or on the accounts of one of its tenants.
  static func accountsPath(_ operation: String, of project: String, tenant: String? = nil) -> String {
    "/identitytoolkit.googleapis.com/v1/projects/\(project)/" + (tenant.map { "tenants/\($0)/" } ?? "") + operation
  }

  /// The path with the query, percent-encoded.
  var target: String {
    guard !query.isEmpty else { return path }
    return path + "?"
      + query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
  }
}

/// The reason that an administrator's request failed.
struct AdminFailure: Error, CustomStringConvertible {
  /// The protocol's code, such as `EMAIL_EXISTS`; nil when there was no answer.
  var code: String?
  /// The problem, its place and its remedy.
  var description: String

  init(_ description: String) { self.description = description }

  /// Creates the failure in a server's answer, with a text for the command line.
  init(answer: JSON?, status: Int, place: String) {
    let error = answer?["error"]
    let message = error?["message"]?.string ?? error?.string ?? "status \(status)"
    let code = Self.code(of: message)
    self.code = code
    let advice = Self.advice(code).map { " - \($0)" } ?? ""
    description = "\(place) refused the request: \(TextTable.printable(message))\(advice)"
  }

  /// Returns the code at the beginning of a message, before " : ".
  private static func code(of message: String) -> String {
    String(message.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
  }

  private static func advice(_ code: String) -> String? {
    switch code {
    case "EMAIL_EXISTS": "another account has this e-mail address; show it with: hearth users show ADDRESS"
    case "DUPLICATE_LOCAL_ID": "another account has this uid"
    case "PHONE_NUMBER_EXISTS": "another account has this phone number; show it with: hearth users show NUMBER"
    case "USER_NOT_FOUND": "there is no such account; list the accounts with: hearth users list"
    case "TENANT_NOT_FOUND": "there is no such tenant; list the tenants with: hearth tenants list"
    case "UNAUTHENTICATED":
      "the server does not accept this administrator's token; name the server's data folder with --data, or --token-file"
    case "PASSWORD_LOGIN_DISABLED", "OPERATION_NOT_ALLOWED":
      "enable the sign-in method with --sign-in or --auth-config of hearth serve"
    case "NOT_IMPLEMENTED": "this server does not support the request"
    default: nil
    }
  }
}
