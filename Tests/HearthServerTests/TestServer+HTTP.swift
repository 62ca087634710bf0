// Every test of this target has a server.
@_exported import LiveServerKit

extension TestServer {
  func socket(_ parameters: String = "ns=default", headers: String = "") throws -> LiveSocket {
    try LiveSocket(port: port, parameters, headers: headers)
  }

  func http(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
  ) throws -> LiveResponse {
    try LiveConnection(port: port).request(method, target, body, headers: headers)
  }

  /// Returns status and body in one line.
  func answer(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
  ) throws -> String {
    let response = try http(method, target, body, headers: headers)
    return "\(response.status) \(response.body)"
  }
}
