import HearthTree

extension Explanation {
  /// Returns the explanation as text: the verdict, and for each rule that was evaluated its text, with carets below the
  /// deciding part, the values of its parts and its reads of data.
  ///
  /// - Parameters:
  /// - file: The name of the rules file in positions, such as `rules.json:7:16`.
  /// - isColored: True for colours for a terminal.
  public func rendered(file: String, isColored: Bool = false) -> String {
    var page = ExplanationRenderer(file: file, isColored: isColored)
    page.line(summary, decision.isAllowed ? .good : .bad, isBold: true)
    let deciding = decision.visited.lastIndex { $0.rule == decision.rule && $0.path == decision.path }
    for (index, visit) in decision.visited.enumerated() {
      page.line("")
      page.visit(visit, isDeciding: index == deciding)
    }
    if let count = decision.trace?.omittedCount, count > 0 {
      page.line("")
      page.line("\(count) more rules were evaluated and are not shown.", .dim)
    }
    return page.text
  }
}

extension Explanation {
  /// The explanation on one line, for a header or a log: every rule that was evaluated, its result, and the values of
  /// the deciding part.
  public var line: String {
    var text = summary
    for visit in decision.visited {
      text += "; \(PlainExplanation.of(visit.rule.description)) => \(visit.word)"
      let values = (visit.decisive?.operands ?? []).filter { !$0.isLiteral }.map { operand in
        "\(PlainExplanation.of(operand.text)) = \(PlainExplanation.of(operand.shown))"
      }
      if !values.isEmpty { text += " [\(values.joined(separator: ", "))]" }
    }
    if let count = decision.trace?.omittedCount, count > 0 { text += "; \(count) more rules" }
    return text
  }
}

extension RuleVisit {
  /// The rule's result, in a word or with the reason.
  fileprivate var word: String {
    switch result {
    case .value(let value): value ? "true" : "false"
    case .error(let error): "error: \(error.message)"
    }
  }
}

extension TracedExpression {
  /// The result of the part.
  fileprivate var shown: String {
    switch result {
    case .notReached: "not reached"
    case .value(let value): value.description
    case .error(let code): "error: \(code.message)"
    }
  }
}

/// A renderer of an explanation as lines of text, with or without colours.
struct ExplanationRenderer {
  enum Color: String {
    case plain = ""
    case good = "32"
    case bad = "31"
    case problem = "33"
    case dim = "2"
  }

  private(set) var text = ""
  private let file: String
  private let isColored: Bool
  /// The number of columns for the parts of a rule; the values follow them.
  private static let partWidth = 56

  init(file: String, isColored: Bool) {
    self.file = file
    self.isColored = isColored
  }

  mutating func line(_ line: String, _ color: Color = .plain, isBold: Bool = false) {
    text += colored(line, color, isBold: isBold) + "\n"
  }

  private func colored(_ text: String, _ color: Color, isBold: Bool = false) -> String {
    let codes = [isBold ? "1" : "", color.rawValue].filter { !$0.isEmpty }
    guard isColored, !codes.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
  }

  // MARK: Rules

  mutating func visit(_ visit: RuleVisit, isDeciding: Bool) {
    let rule = visit.rule
    let color: Color =
      switch visit.result {
      case .value(let value): value ? .good : .bad
      case .error: .problem
      }
    let place = "\(PlainExplanation.of(file)):\(rule.line):\(rule.column)"
    let name = "\(rule.kind.word) at \(PlainExplanation.of(rule.pathTemplate))"
    let at = visit.path.description == rule.pathTemplate ? "" : " for \(PlainExplanation.of(visit.path.description))"
    text +=
      "\(colored(place, .dim)) \(colored(name, .plain, isBold: true))\(at): \(colored(visit.word, color, isBold: true))"
    text += isDeciding ? colored("  decides", .dim) + "\n" : "\n"
    source(rule.expression, marked: visit.decisive?.range, color)
    if rule.file != nil, let part = visit.decisive, (part.line, part.column) != (rule.line, rule.column) {
      line("    from \(PlainExplanation.of(file)):\(part.line):\(part.column)", .dim)
    }
    if let expression = visit.expression { parts(expression, depth: 0, decisive: visit.decisive?.range) }
    for read in visit.reads { self.read(read) }
    if visit.isCut { line("  More conditions were evaluated and are not shown.", .dim) }
  }

  /// Writes the rule's text, and carets below a part of it.
  private mutating func source(_ rule: String, marked: Range<Int>?, _ color: Color) {
    guard rule.utf8.count <= RulesLimits.sourceLineBytesMax else { return }
    var start = 0
    for source in rule.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let line = String(decoding: source, as: UTF8.self)
      self.line("    " + PlainExplanation.of(line))
      if let marked {
        let carets = Self.carets(below: line, from: marked.lowerBound - start, to: marked.upperBound - start)
        if !carets.isEmpty { self.line("    " + carets, color) }
      }
      start += source.count + 1
    }
  }

  /// Returns carets below a range of bytes; empty when the line contains none of the bytes.
  private static func carets(below line: String, from start: Int, to end: Int) -> String {
    var (carets, offset) = ("", 0)
    for scalar in line.unicodeScalars {
      let isMarked = offset >= start && offset < end && (scalar != " " || carets.hasSuffix("^"))
      carets += isMarked ? "^" : " "
      offset += UTF8.width(scalar)
    }
    while carets.hasSuffix(" ") { carets.removeLast() }
    return carets
  }

  // The recursion is as deep as the rule's expression, whose depth is limited.
  private mutating func parts(_ expression: TracedExpression, depth: Int, decisive: Range<Int>?) {
    let name = Self.shortened(
      String(repeating: "  ", count: depth + 2) + Self.oneLine(expression.text), to: Self.partWidth)
    let padding = String(repeating: " ", count: max(1, Self.partWidth + 2 - name.unicodeScalars.count))
    let (value, color) = (PlainExplanation.of(expression.shown), Self.color(of: expression.result))
    let mark = expression.range == decisive ? colored("  <-", .dim) : ""
    text += (color == .dim ? colored(name, .dim) : name) + padding + colored(value, color) + mark + "\n"
    guard expression.result != .notReached else { return }
    // The value of a constant is already in the text.
    for part in expression.operands where !part.isLiteral { parts(part, depth: depth + 1, decisive: decisive) }
  }

  private mutating func read(_ read: TracedRead) {
    let side = read.isAfter ? " after the write" : ""
    let aspect = read.aspect == "value" ? "" : " \(read.aspect)"
    line(
      "    read \(PlainExplanation.of(read.path.description))\(side)\(aspect): \(PlainExplanation.of(read.value.description))",
      .dim)
  }

  private static func color(of result: TracedExpression.Result) -> Color {
    switch result {
    case .notReached: .dim
    case .value(.bool(let value)): value ? .good : .bad
    case .value: .plain
    case .error: .problem
    }
  }

  /// Returns the text with every sequence of white space replaced by one space.
  private static func oneLine(_ text: String) -> String {
    let words = text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    return PlainExplanation.of(words.joined(separator: " "))
  }

  private static func shortened(_ text: String, to width: Int) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > width else { return text }
    return String(String.UnicodeScalarView(scalars.prefix(width - 1))) + "…"
  }
}
