import HearthGateway
import HearthMigration
import HearthProgram
import HearthTree
import HearthWorkbench

/// Requests with their expected answers, to be decided by the current rules on the existing data.
struct RecordedRequests {
  /// The maximum number of requests in one call of the server.
  private static let requestCountMax = 500
  private static let requestBytesMax = 1 << 20

  private let path: String
  private typealias Step = (name: String, line: Int, step: RulesTestStep)
  private let steps: [Step]

  /// - Parameter path: A file of rules tests, without data of its own.
  init(path: String) throws {
    self.path = path
    let document = DocumentText(file: path, text: try TextFile.read(path))
    let file = try RulesTestReader.read(document)
    guard file.data.isEmpty, file.cases.allSatisfy({ $0.data == nil }) else {
      throw AdminFailure("\(path): requests are checked with the imported data; omit data")
    }
    steps = try file.cases.map { testCase in
      guard testCase.steps.count == 1, let step = testCase.steps.first else {
        throw AdminFailure(
          "\(path): \(testCase.name): nothing is written, so steps cannot depend on each other; make each step a case")
      }
      return (testCase.name, document.position(of: testCase.place).line, step)
    }
  }

  func ask(_ client: RulesClient) async throws -> MigrationReport.Part {
    var part = MigrationReport.Part(name: "requests", file: path, outcome: "")
    var agreed = 0
    var progress = Progress("checking \(path)", unit: "requests", total: steps.count)
    var start = 0
    while start < steps.count {
      let nextBatch = self.nextBatch(from: start)
      let answer = try await client.send(.POST, "/decide.json", ["requests": .array(nextBatch.asked)])
      guard let decisions = answer["decisions"]?.array, decisions.count == nextBatch.steps.count else {
        throw AdminFailure("\(client.served.place) did not decide \(nextBatch.steps.count) requests")
      }
      for (item, decision) in zip(nextBatch.steps, decisions) {
        guard let problem = Self.problem(item.step, decision) else {
          agreed += 1
          continue
        }
        part.findings.add(MigrationFinding(.refused, place: "\(path):\(item.line)", subject: item.name, problem))
      }
      start = nextBatch.steps.endIndex
      progress.show(start)
    }
    part.figures = ["agreed": .int(Int64(agreed)), "count": .int(Int64(steps.count))]
    part.outcome = "\(agreed) of \(steps.count) match"
    return part
  }

  /// Returns the next steps that fit in one request, and their form in it.
  private func nextBatch(from start: Int) -> (steps: ArraySlice<Step>, asked: [JSON]) {
    var (asked, sizeBytes): ([JSON], Int) = ([], 0)
    for item in steps[start...].prefix(Self.requestCountMax) {
      let json = item.step.request.json.appending([
        "auth": item.step.user.auth ?? .null, "now": .int(item.step.nowMilliseconds),
      ])
      sizeBytes += json.text().count
      if sizeBytes > Self.requestBytesMax, !asked.isEmpty { break }
      asked.append(json)
    }
    return (steps[start..<start + asked.count], asked)
  }

  /// Returns the deviation of the answer from the expected one; nil when there is none.
  private static func problem(_ step: RulesTestStep, _ decision: JSON) -> String? {
    if step.user.isAdministrator {
      return step.isAllowed ? nil : "expected to be denied, but an administrator is always allowed"
    }
    if let error = decision["error"]?.string { return "the server refuses it before evaluating the rules: \(error)" }
    let summary = decision["summary"]?.string ?? "no answer"
    guard decision["allowed"]?.bool == step.isAllowed else {
      return "expected to be \(step.isAllowed ? "allowed" : "denied"), but \(summary)"
    }
    guard let decider = step.decider, decider.name != decision["rule"]?.string else { return nil }
    return "expected to be decided by \(decider.name ?? "no rule"), but \(summary)"
  }
}
