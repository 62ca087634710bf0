import HearthProgram
import HearthRules
import HearthTree
import NIOHTTP1

/// The client of one database's rules.
struct RulesClient: Sendable {
  let served: ServedDatabases
  /// The namespace; nil lets the server choose.
  let namespace: String?
  let printsJSON: Bool

  /// A response with status 412: a precondition of the request failed.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
    /// The whole response body, for scripts.
    let answer: JSON
  }

  /// Sends a request to an operation on the rules.
  ///
  /// - Parameter operation: The path after `/.settings/rules`, such as `/versions.json`.
  /// - Throws: ``Refusal``, or ``AdminFailure``.
  @discardableResult
  func send(_ method: HTTPMethod, _ operation: String, _ body: JSON? = nil) async throws -> JSON {
    var request = AdminRequest(path: "/.settings/rules" + operation)
    if let namespace { request.query.append(("ns", namespace)) }
    let answer = try await served.http.send(
      method: method, target: request.target, body: body.map { $0.text() })
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      if answer.status == 412 {
        throw Refusal(description: TextTable.printable(json?["error"]?.string ?? "refused"), answer: json ?? .null)
      }
      throw failure(json, answer.status)
    }
    guard let json else { throw AdminFailure("\(served.place) returned a response that is not JSON") }
    return json
  }

  private func failure(_ json: JSON?, _ status: Int) -> AdminFailure {
    var failure = AdminFailure(answer: json, status: status, place: served.place)
    switch status {
    case 401:
      failure.description +=
        " - the server does not accept this administrator's token; name the server's data folder with --data, or --token-file"
    case 404 where json?["error"]?.string?.hasPrefix("No such database") == true:
      failure.description += " - name another with --ns, or create it with hearth rules deploy --create"
    default: break
    }
    return failure
  }

  /// Returns the metadata and the text of the current rules.
  ///
  /// - Parameter mayBeMissing: True when the database need not exist.
  /// - Returns: nil when the database has no current rules, or, with `mayBeMissing`, does not exist.
  func inForce(mayBeMissing: Bool = false) async throws -> (metadata: JSON, source: String)? {
    let history: JSON
    do {
      history = try await send(.GET, "/versions.json")
    } catch let failure as AdminFailure where mayBeMissing && failure.isMissingDatabase {
      return nil
    }
    guard let id = history["current"]?.int else { return nil }
    return try await version(id)
  }

  /// Returns the metadata and the text of a version.
  func version(_ id: Int64) async throws -> (metadata: JSON, source: String) {
    let answer = try await send(.GET, "/versions/\(id).json")
    guard let source = answer["source"]?.string, let members = answer.members else {
      throw AdminFailure("\(served.place) did not return version \(id)")
    }
    return (.object(members.filter { $0.name != "source" }), source)
  }

  /// Prints the JSON value with `--json`, or else the text.
  func report(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) {
    if printsJSON { Output.json(json()) } else { Output.line(text()) }
  }
}

extension AdminFailure {
  /// True when the server has no database of that name.
  var isMissingDatabase: Bool { description.contains("No such database") }
}

extension RulesDiffReport {
  /// Compares two texts; nil when one of them is no valid rules file.
  init?(from before: String, to after: String) {
    guard let before = try? RuleSet.compile(before, keepsExpressions: true),
      let after = try? RuleSet.compile(after, keepsExpressions: true)
    else { return nil }
    self.init(from: before, to: after, nowMilliseconds: WallClock.nowMilliseconds)
  }
}
