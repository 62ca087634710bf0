import HearthExposure
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The description of an exposure: the request, and the rule that grants it.
struct ExposureDetails {
  let file: String
  let rules: RuleSet
  let style: TerminalStyle

  /// Returns an identity in words, such as `anyone signed in`.
  static func who(_ identity: ExposureIdentity) -> String {
    switch identity {
    case .signedOut: "a signed-out client"
    case .signedIn: "anyone signed in"
    case .otherUser: "a user other than the owner"
    case .anyClaims: "a user with these claims"
    case .anyAuth: "a token of a database secret"
    case .holder: "a holder of \(TextTable.printable(identity.name))"
    }
  }

  /// Returns the request, and the rule that grants it, indented.
  func request(_ witness: ExposureWitness, _ rule: RuleReference?) -> String {
    var rows: [(String, String)] = []
    rows.append(("request", operation(witness)))
    for change in witness.changes.dropFirst() { rows.append(("", self.change(change))) }
    if let auth = witness.auth { rows.append(("auth", text(auth))) }
    rows.append(("data", witness.data.isEmpty ? "(empty)" : text(witness.json["data"] ?? .null)))
    if let rule {
      rows.append(("granted", "\(file):\(rule.line):\(rule.column)  .\(rule.kind.rawValue) at \(rule.pathTemplate)"))
      rows.append(("", Self.shortened(TextTable.printable(rule.expression))))
    }
    for surprise in witness.nullComparisonNotes(rules) { rows.append(("note", TextTable.printable(surprise))) }
    return rows.map { name, text in
      "    " + style.faint(name + String(repeating: " ", count: 9 - name.count)) + text
    }.joined(separator: "\n")
  }

  private func operation(_ witness: ExposureWitness) -> String {
    guard let change = witness.changes.first else {
      let query = witness.json["query"].map { "  with " + text($0) } ?? ""
      return "read \(TextTable.printable(witness.path.description))\(query)"
    }
    let json = witness.json
    let path = TextTable.printable(json["path"]?.string ?? "")
    if change.value.isEmpty { return "delete \(path)" + (witness.changes.count > 1 ? "  and in the same update" : "") }
    return "set \(path) = \(text(json["value"] ?? .null))"
      + (witness.changes.count > 1 ? "  and in the same update" : "")
  }

  private func change(_ change: ExposureWitness.Change) -> String {
    let path = TextTable.printable(change.path.description)
    return change.value.isEmpty
      ? "delete \(path)" : "set \(path) = \(text(JSON(parsing: change.value.json(.export)) ?? .null))"
  }

  private func text(_ json: JSON) -> String {
    Self.shortened(TextTable.printable(String(decoding: json.text(), as: UTF8.self)))
  }

  private static func shortened(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= 160 ? line : line.prefix(159) + "…"
  }

  // MARK: Sentences

  func text(_ assertion: ExposureAssertion, _ result: ExposureAssertion.Result, _ exposure: Exposure) -> String {
    let sentence = TextTable.printable(assertion.text)
    switch result {
    case .proved(let count):
      let places = NumberFormat.counted(count, "path")
      return style.good("proved") + "     \(sentence)  " + style.faint("(\(places))")
    case .undecided(let question, let reason):
      return style.warning("undecided") + "  \(sentence)\n    \(place(question)): \(reason.rawValue)"
    case .refuted(let question, .open(let witness, let rule)):
      return style.bad("refuted") + "    \(sentence)\n    \(Self.who(question.identity)) can "
        + "\(question.operation.rawValue) \(TextTable.printable(question.location.template))\n" + request(witness, rule)
    case .refuted(let question, _):
      return style.bad("refuted") + "    \(sentence)\n    \(place(question)) is closed: proved"
    }
  }

  private func place(_ question: ExposureQuestion) -> String {
    "\(question.operation.rawValue) \(TextTable.printable(question.location.template)) by \(Self.who(question.identity))"
  }
}
