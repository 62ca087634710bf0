import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthTree
import NIOHTTP1

/// The client of one kind of a server's settings.
struct SettingsClient: Sendable {
  let served: ServedDatabases
  /// The path after `/.settings/`, such as `triggers`.
  let kind: String
  let printsJSON: Bool

  /// - Parameter operation: The path after the kind.
  /// - Throws: ``AdminFailure``.
  func send(_ method: HTTPMethod, _ operation: String, _ body: JSON? = nil) async throws -> JSON {
    let answer = try await served.http.send(
      method: method, target: "/.settings/\(kind)\(operation)", body: body.map { $0.text() })
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw AdminFailure(answer: json, status: answer.status, place: served.place)
    }
    guard let json else { throw AdminFailure("\(served.place) returned a response that is not JSON") }
    return json
  }

  /// Prints the answer for a script, or the text for a reader.
  func report(_ json: JSON, _ text: () -> String) {
    if printsJSON { Output.json(json) } else { Output.line(text()) }
  }
}

extension AdminOptions {
  /// Connects, does the work on settings of one kind, and exits with 2 on a failure.
  func withSettings(_ kind: String, _ work: @Sendable (SettingsClient) async throws -> Void) async throws {
    do {
      try await withDatabases { served in
        try await work(SettingsClient(served: served, kind: kind, printsJSON: json))
      }
    } catch {
      throw ExitCode.reporting(error, printsJSON: json)
    }
  }
}
