import ArgumentParser
import HearthProgram
import HearthTree

/// The options that name a recorded denial and the running server that explains it.
struct RecordedDenialOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The id of a denial, from the log of a running server.", valueName: "id"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "With --trace or --at: use this server instead of the server of the --data folder.", valueName: "url"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "With --trace or --at: a file whose first line is the administrator's access token for --server.",
      valueName: "file"))
  var tokenFile: String?

  @Option(help: ArgumentHelp("With --trace or --at: PEM certificates to trust for --server.", valueName: "file"))
  var caFile: String?

  /// Returns the options for access to that server; `folder` is the argument of `--data`.
  func admin(folder: String?) throws -> AdminOptions {
    let options = [("--data", folder), ("--server", server), ("--token-file", tokenFile), ("--ca-file", caFile)]
    return try AdminOptions.parse(options.flatMap { name, value in value.map { [name, $0] } ?? [] })
  }

  /// Prints the explanation.
  ///
  /// - Returns: True when it would be allowed, which a recorded denial never is.
  func explain(folder: String?, isJSON: Bool, isColored: Bool) async throws -> Bool {
    try await admin(folder: folder).run { admin in
      guard admin.channel.isServer else {
        throw TextFile.Failure("only a running server has denials, and no server runs on \(admin.place)")
      }
      var request = AdminRequest(method: "GET", path: "/.settings/denials/\(PercentEncoding.encode(trace ?? "")).json")
      if isColored { request.query.append(("format", "color")) }
      let answer = try await admin.channel.send(request)
      if isJSON {
        Output.json(answer["explanation"] ?? .null)
      } else {
        Output.line("\(answer["database"]?.string ?? "?") \(answer["trace"]?.string ?? "?")")
        Output.line(answer["text"]?.string ?? "")
      }
      return answer["explanation"]?["allowed"]?.bool ?? false
    }
  }
}
