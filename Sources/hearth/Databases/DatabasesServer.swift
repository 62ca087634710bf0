import ArgumentParser
import HearthProgram
import HearthTree
import HearthWire
import NIOHTTP1

/// Whose databases a command works on.
struct DatabasesServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and ends with 2 for what cannot be done.
  func run(_ work: @Sendable (DatabasesClient) async throws -> Void) async throws {
    do {
      try await admin.withDatabases { served in
        try await work(DatabasesClient(served: served, printsJSON: admin.json))
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

/// A command on one database.
struct NamedDatabase: ParsableArguments {
  @Argument(help: ArgumentHelp("The database's name: lower-case letters, digits, - and _.", valueName: "name"))
  var name: String

  @OptionGroup var server: DatabasesServer

  func validate() throws {
    guard Namespace.isValid(name) else {
      throw ValidationError("A database's name is of 1 to 63 lower-case letters, digits, - and _.")
    }
  }
}

/// Requests about a server's databases.
struct DatabasesClient: Sendable {
  let served: ServedDatabases
  let printsJSON: Bool

  /// - Parameter name: which one; nil for all of them.
  /// - Throws: ``AdminFailure``.
  func send(_ method: HTTPMethod, _ name: String? = nil, _ members: [JSON.Member]? = nil) async throws -> JSON {
    let answer = try await served.http.send(
      method: method, target: "/.settings/databases" + (name.map { "/\($0)" } ?? "") + ".json",
      body: members.map { JSON.object($0).text() })
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

  /// `connections=100 storedBytes=1048576`, or `none`.
  static func text(ofQuotas quotas: JSON?) -> String {
    let parts = (quotas?.members ?? []).map { "\($0.name)=\($0.value.int.map { String($0) } ?? "?")" }
    return parts.isEmpty ? "none" : parts.joined(separator: " ")
  }
}
