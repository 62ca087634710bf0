import ArgumentParser
import HearthProgram
import HearthTree

/// Which database's rules a command works on, and where.
struct RulesServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  @OptionGroup var database: NamespaceOption

  /// Connects, does the work, and ends with 1 for what the server refuses for its figures or its version, and with 2 for
  /// what cannot be done.
  func run(_ work: @Sendable (RulesClient) async throws -> Void) async throws {
    do {
      try await admin.withDatabases { served in
        try await work(
          RulesClient(served: served, namespace: database.name(on: served), printsJSON: admin.json))
      }
    } catch let code as ExitCode {
      throw code
    } catch {
      Output.note("hearth: \(error)")
      let refusal = error as? RulesClient.Refusal
      if admin.json {
        Output.json(refusal?.answer ?? .object([.init("error", .string("\(error)"))]))
      }
      throw ExitCode(refusal == nil ? 2 : 1)
    }
  }
}

/// Who says what about a change of rules.
struct RulesChangeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("What the history says of it.", valueName: "text"))
  var comment: String?

  @Option(
    help: ArgumentHelp(
      "Only when this version is in force: nobody else's change is overwritten.", valueName: "id"))
  var ifVersion: Int64?

  /// As the server is told.
  ///
  /// - Parameter command: which one it is, such as `deploy`.
  func members(_ command: String) -> [JSON.Member] {
    var members: [JSON.Member] = [.init("tool", .string("hearth rules \(command), by \(UserName.own)"))]
    if let comment { members.append(.init("comment", .string(comment))) }
    if let ifVersion { members.append(.init("expected", .int(ifVersion))) }
    return members
  }
}
