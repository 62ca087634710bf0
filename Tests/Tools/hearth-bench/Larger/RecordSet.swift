import HearthProgram
import NIOHTTP1

/// Records in rooms, below `/items`.
struct RecordSet: Sendable {
  /// The records of a room: a room is written by one request.
  private static let roomCount = 4_096

  var count: Int
  var sizeBytes: Int

  /// Returns the path of a record.
  static func path(_ number: Int) -> String { "/items/r\(number / roomCount)/k\(number % roomCount)" }

  /// Writes all records over REST.
  func fill(_ target: BenchTarget) async throws {
    for first in stride(from: 0, to: count, by: Self.roomCount) {
      var body = "{"
      for number in first..<min(count, first + Self.roomCount) {
        if number > first { body += "," }
        body += "\"k\(number % Self.roomCount)\":\(BenchPayload.json(sizeBytes, number))"
      }
      let path = "/items/r\(first / Self.roomCount).json?print=silent&auth=\(target.adminCredential)"
      let answer = try await BenchHTTP.ask(BenchHTTP.Request(method: .PUT, path: path, body: body + "}"), of: target)
      guard answer.status == 204 else {
        throw BenchServer.Failure(description: "the server did not take the data: status \(answer.status)")
      }
    }
  }
}
