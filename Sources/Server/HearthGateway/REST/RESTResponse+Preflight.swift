import HearthTransport
import NIOHTTP1

extension RESTResponse {
  /// Returns the response to a preflight request, which needs no credential.
  static func preflight(_ headers: HTTPHeaders) -> RESTResponse {
    var answer: [(name: String, value: String)] = [
      (name: "Access-Control-Allow-Methods", value: "GET, PUT, POST, PATCH, DELETE"),
      (name: "Access-Control-Max-Age", value: "3600"),
    ]
    if let asked = headers.requestedNames { answer.append((name: "Access-Control-Allow-Headers", value: asked)) }
    if headers.first(name: "Access-Control-Request-Private-Network")?.lowercased() == "true" {
      answer.append((name: "Access-Control-Allow-Private-Network", value: "true"))
    }
    return RESTResponse(headers: answer, body: [])
  }
}
