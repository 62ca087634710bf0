import HearthProgram
import HearthTree

extension DatabaseClient {
  /// Does the work, and adds the explanation of the rules to a denial.
  ///
  /// - Parameter request: The request as `/.settings/rules/decide.json` takes it, without `auth`.
  func explaining<Value>(
    _ request: @autoclosure () throws -> JSON, _ work: () async throws -> Value
  ) async throws -> Value {
    do { return try await work() } catch let failure as AdminFailure where failure.code == AdminFailure.permissionDenied
    {
      var failure = failure
      if let text = await explanation(of: try request()) { failure.description += "\n" + text }
      throw failure
    }
  }

  /// Returns the explanation of a request as the user of `--as`; nil when the server gives none, or would allow it now.
  private func explanation(of request: JSON) async -> String? {
    guard let simulated else { return nil }
    let body: JSON = ["explain": true, "requests": [request.appending(["auth": simulated])]]
    let answer = try? await administrator.send(.POST, resource: "/.settings/rules/decide.json", body: body.text())
    guard let decision = answer.flatMap({ JSON(parsing: $0) })?["decisions"]?.array?.first,
      decision["allowed"]?.bool == false
    else { return nil }
    return decision["text"]?.string?.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TextTable.printable(String($0)) }.joined(separator: "\n")
  }
}
