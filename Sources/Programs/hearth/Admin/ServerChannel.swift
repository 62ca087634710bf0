import HearthTree
import NIOHTTP1

/// The channel to a running server.
struct ServerChannel: AdminChannel {
  let client: HTTPClient

  var isServer: Bool { true }
  var place: String { "the server on \(client.place)" }

  func send(_ request: AdminRequest) async throws -> JSON {
    let answer = try await client.send(
      method: HTTPMethod(rawValue: request.method), target: request.target, body: request.body.map { $0.text() })
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw AdminFailure(answer: json, status: answer.status, place: place)
    }
    guard let json else { throw AdminFailure("\(place) returned a response that is not JSON") }
    return json
  }

  func close() async {}

  /// Returns the project that the server serves.
  func projectID() async throws -> String {
    guard let projectID = try await send(.hearth("status"))["projectID"]?.string else {
      throw AdminFailure("\(place) did not return its project id; is it a Hearth server?")
    }
    return projectID
  }
}
