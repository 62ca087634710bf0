import Foundation
import HearthClient
import HearthTree

/// The account service of version 2, under `/v2/<name>/` of the database's own server.
///
/// Every request is a POST with a form, and has its actual HTTP method in `_method`, so that passwords are not in URLs,
/// which appear in logs.
struct LegacyAccountService: Sendable {
  let base: URL
  let transport: any AuthTransport

  /// - Parameter root: The database's URL, `https://name.example.com` or `http://localhost:9000?ns=name`.
  init(root: URLComponents, transport: any AuthTransport) {
    let host = root.host ?? ""
    let name = root.queryItems?.last { $0.name == "ns" }?.value ?? host.split(separator: ".").first.map(String.init)
    var server = root
    (server.query, server.path) = (nil, "/v2/" + (name ?? "default"))
    if server.scheme == "ws" { server.scheme = "http" }
    if server.scheme == "wss" { server.scheme = "https" }
    // A database URL without a port means TLS, whatever its scheme; passwords are never sent unencrypted to other
    // hosts.
    if server.port == nil { server.scheme = "https" }
    base = server.url ?? URL(fileURLWithPath: "/")
    self.transport = transport
  }

  /// - Parameters:
  /// - verb: The actual HTTP method: `POST`, `PUT`, `DELETE` or `GET`.
  /// - path: The parts of the path, not yet escaped.
  func call(_ verb: String, _ path: [String], _ fields: [(name: String, value: String)]) async throws -> JSON {
    let escapedPath = path.map { "/" + FormEncoding.escape($0) }.joined()
    guard let url = URL(string: base.absoluteString + escapedPath + "?transport=json&v=swift-2.5.1") else {
      throw FAuthenticationError.invalidArguments.error("The arguments make no address.")
    }
    let form = FormEncoding.encode(fields + [("_method", verb), ("suppress_status_codes", "true")])
    let request = AuthRequest(
      url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8))
    let answer: AuthAnswer
    do { answer = try await transport.send(request) } catch {
      throw FAuthenticationError.networkError.error("The server could not be reached.")
    }
    guard let said = JSON(parsing: answer.body), said.members != nil else {
      let error: FAuthenticationError = answer.status >= 500 || answer.status == 429 ? .networkError : .unknown
      throw error.error("The server's answer cannot be read (status \(answer.status)).")
    }
    if let error = said["error"], error.members != nil {
      throw FAuthenticationError(serverCode: error["code"]?.string ?? "").error(
        error["message"]?.string ?? "The request could not be done.")
    }
    guard (200..<300).contains(answer.status) else {
      throw FAuthenticationError.unknown.error("The server's answer cannot be read (status \(answer.status)).")
    }
    return said
  }
}
