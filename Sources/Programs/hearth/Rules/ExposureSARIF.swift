import HearthExposure
import HearthRules
import HearthTree
import HearthWorkbench

/// The exposures to every client as a SARIF log.
enum ExposureSARIF {
  private static let rules: [(rule: SARIFLog.Rule, identity: ExposureIdentity, operation: ExposureOperation)] = [
    (
      .init(id: "open-read-nobody", text: "A signed-out client can read this path.", level: .error),
      .signedOut, .read
    ),
    (
      .init(id: "open-write-nobody", text: "A signed-out client can write this path.", level: .error),
      .signedOut, .write
    ),
    (
      .init(id: "open-read-anyone", text: "Any signed-in client can read this path.", level: .warning),
      .signedIn, .read
    ),
    (
      .init(id: "open-write-anyone", text: "Any signed-in client can write this path.", level: .warning),
      .signedIn, .write
    ),
  ]

  static func json(file: String, _ entries: [Exposure.Entry]) -> JSON {
    let results = entries.compactMap { entry -> SARIFLog.Result? in
      let question = entry.question
      guard case .open(let witness, let reference?) = entry.verdict,
        let rule = rules.first(where: { $0.identity == question.identity && $0.operation == question.operation })?.rule
      else { return nil }
      let request = String(decoding: witness.json.text(), as: UTF8.self)
      return SARIFLog.Result(
        ruleID: rule.id, message: "\(question.location.template): \(rule.text) Request: \(request)", file: file,
        line: reference.line, column: reference.column, fingerprint: "\(rule.id) \(question.location.template)")
    }
    return SARIFLog(tool: "hearth rules exposure", rules: rules.map(\.rule), results: results).json
  }
}
