import ArgumentParser
import HearthProgram
import HearthTree
import NIOHTTP1

/// Whose triggers a command works on.
struct TriggersServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and ends with 2 for what cannot be done.
  func run(_ work: @Sendable (TriggersClient) async throws -> Void) async throws {
    do {
      try await admin.withDatabases { served in
        try await work(TriggersClient(served: served, printsJSON: admin.json))
      }
    } catch let code as ExitCode {
      throw code
    } catch {
      Output.note("hearth: \(error)")
      if admin.json { Output.json(.object([.init("error", .string("\(error)"))])) }
      throw ExitCode(2)
    }
  }
}

/// Requests about a server's triggers.
struct TriggersClient: Sendable {
  let served: ServedDatabases
  let printsJSON: Bool

  /// - Parameter operation: what comes after `/.settings/triggers`.
  /// - Throws: ``AdminFailure``.
  func send(_ method: HTTPMethod, _ operation: String, _ members: [JSON.Member]? = nil) async throws -> JSON {
    let answer = try await served.http.send(
      method: method, target: "/.settings/triggers" + operation, body: members.map { JSON.object($0).text() })
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw AdminFailure(answer: json, status: answer.status, place: served.place)
    }
    guard let json else { throw AdminFailure("\(served.place) answered something that is not JSON") }
    return json
  }

  /// Prints the answer for a script, or the text for a person.
  func report(_ json: JSON, _ text: () -> String) {
    if printsJSON { Output.json(json) } else { Output.line(text()) }
  }
}
