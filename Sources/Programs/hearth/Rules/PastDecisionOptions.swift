import ArgumentParser
import HearthProgram
import HearthTree

/// The options for a decision of a server's rules at a past moment.
struct PastDecisionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Decide with the rules, data and clock of this time: '10 minutes ago', 2h, a time, or a commit's position.",
      valueName: "moment"))
  var at: String?

  @OptionGroup var database: NamespaceOption

  func validate() throws {
    guard database.ns == nil || at != nil else { throw ValidationError("--ns needs --at.") }
    if let at { try MomentOption.check(at) }
  }

  /// Sends the request to the server, and prints the explanation of its decision.
  ///
  /// - Returns: True when the request would have been allowed.
  func explain(_ request: ExplainedRequest, of admin: AdminOptions, isJSON: Bool) async throws -> Bool {
    try await admin.withDatabases { served in
      var knownClaims: [JSON.Member] = []
      if let uid = request.unknownClaimsUID {
        let claims = try await AccountClaims.of(uid, served)
        if !isJSON { Output.note(claims.note) }
        knownClaims = claims.members
      }
      let decisionRequest = try request.json(auth: try request.identity(known: knownClaims))
      let client = RulesClient(served: served, namespace: database.name(on: served), printsJSON: isJSON)
      let response = try await client.send(
        .POST, "/decide.json",
        ["at": .string(at ?? ""), "explain": true, "requests": [decisionRequest]])
      guard let decision = response["decisions"]?.array?.first else {
        throw TextFile.Failure("\(served.place) returned a response that is not a decision")
      }
      if let error = decision["error"]?.string { throw TextFile.Failure(TextTable.printable(error)) }
      guard let isAllowed = decision["allowed"]?.bool, let explanation = decision["explanation"] else {
        throw TextFile.Failure("\(served.place) cannot explain past decisions; is it an older server?")
      }
      if isJSON {
        Output.json(explanation)
      } else {
        let position = response["position"]?.int.map { "\($0)" } ?? "?"
        let time = response["time"]?.string.map { ", of " + TextTable.printable($0) } ?? ""
        Output.line("after commit \(position)\(time)")
        Output.line(decision["text"]?.string ?? "")
      }
      return isAllowed
    }
  }
}
