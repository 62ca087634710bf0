import HearthTree

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// A response of the identity interface.
struct IdentityAnswer {
  var status: Int
  var headers: [String: String]
  var text: String
  var json: JSON { JSON(parsing: text.utf8) ?? .null }

  subscript(name: String) -> String { json[name]?.string ?? "" }
  /// The error code of a refusal.
  var code: String { String((json["error"]?["message"]?.string ?? "").prefix { $0 != " " }) }
}

extension TestServer {
  static let identityHost = "/identitytoolkit.googleapis.com"

  /// Sends a request of an app, with the URL layout of the SDKs.
  func app(
    _ operation: String, _ body: String, version: String = "v1", headers: [String: String] = [:]
  ) throws -> IdentityAnswer {
    try identity(
      "POST", "\(Self.identityHost)/\(version)/\(operation)?key=k", body,
      headers: ["Content-Type": "application/json"].merging(headers) { $1 })
  }

  func identity(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
  ) throws -> IdentityAnswer {
    let answer = try http(method, target, body, headers: headers)
    return IdentityAnswer(status: answer.status, headers: answer.headers, text: answer.body)
  }

  /// Sends a request as an administrator.
  func administer(_ operation: String, _ body: String) throws -> IdentityAnswer {
    try app(
      "projects/hearth/" + operation, body, headers: ["Authorization": "Bearer \(try adminToken)"])
  }

  func signUp(_ email: String, _ password: String = "secret1") throws -> IdentityAnswer {
    try app(
      "accounts:signUp", #"{"email":"\#(email)","password":"\#(password)","returnSecureToken":true}"#)
  }

  func signIn(
    _ email: String, _ password: String = "secret1", headers: [String: String] = [:]
  ) throws -> IdentityAnswer {
    try app(
      "accounts:signInWithPassword",
      #"{"email":"\#(email)","password":"\#(password)","returnSecureToken":true}"#, headers: headers)
  }

  func refresh(_ token: String) throws -> IdentityAnswer {
    try identity(
      "POST", "/securetoken.googleapis.com/v1/token?key=k", "grant_type=refresh_token&refresh_token=\(token)",
      headers: ["Content-Type": "application/x-www-form-urlencoded"])
  }
}

/// Returns the `oobCode` of a link.
func code(of link: String) -> String {
  String((link.split(separator: "oobCode=").last ?? "").prefix { $0 != "&" })
}
