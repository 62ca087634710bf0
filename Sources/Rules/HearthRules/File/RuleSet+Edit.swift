import HearthTree

extension RuleSet {
  /// Returns the same rules with another expression for one rule. Only this expression is compiled; all other rules are
  /// shared.
  ///
  /// Positions in the replaced rule refer to its own text, all others to the file from which this set was compiled;
  /// ``warnings`` are those of that file, and ``source`` is plain JSON. The limit on the regular expressions of a file
  /// applies to the replaced rule only.
  ///
  /// - Parameters:
  /// - kind: The kind of the rule. A missing rule is added.
  /// - place: The names from the root of the rules, as in ``Rule/place``. When the file has no rules at or below the
  ///   place, the result is unchanged.
  /// - expression: The rule's text. `true` for a `.validate`, and `false` for the other kinds, is equivalent to no
  ///   rule.
  /// - Throws: ``RulesError`` when the expression is not valid for the rule.
  package func replacing(
    _ kind: RuleKind, at place: [String], with expression: String
  ) throws(RulesError) -> RuleSet {
    let plain = withExpressions.storage
    guard let old = plain.root.node(at: place[...]) else { return self }
    let number = old.rule(kind)?.number ?? plain.ruleCount
    let rule = try Rule(kind, at: place, text: expression, number: number)
    guard let root = plain.root.replacing(rule, at: place[...]) else { return self }
    return RuleSet(
      storage: Storage(
        text: .edited(plain.text, RuleEdit(kind: kind, place: place, expression: expression)), root: root,
        ruleCount: max(plain.ruleCount, number + 1), warnings: plain.warnings, isInspectable: true))
  }
}

extension Rule {
  /// Compiles a single rule of a file.
  ///
  /// - Throws: ``RulesError`` with its first problem.
  fileprivate convenience init(
    _ kind: RuleKind, at place: [String], text: String, number: Int
  ) throws(RulesError) {
    let source = SourceText(text)
    var wildcards: [Key: Int] = [:]
    for (index, name) in place.enumerated() where name.hasPrefix("$") { wildcards[Key(name)] = index }
    do {
      let expression = try Parser.parse(text)
      let checked = try Checker(kind: kind, wildcards: wildcards, wasAccepted: true).check(rule: expression)
      let (program, sites) = Program.observable(checked)
      self.init(
        kind: kind, place: place, text: text, position: source.position(ofByte: expression.offset), program: program,
        inspection: RuleInspection(number: number, expression: checked, sites: sites, source: source, fileOffset: 0))
    } catch {
      throw RulesError([source.diagnostic(error.message, help: error.help, atByte: error.offset)])
    }
  }
}

extension RuleNode {
  fileprivate func rule(_ kind: RuleKind) -> Rule? {
    switch kind {
    case .read: read
    case .write: write
    case .validate: validate
    }
  }

  /// Returns the node at a path of names below this one; nil when the file does not have it.
  fileprivate func node(at place: ArraySlice<String>) -> RuleNode? {
    guard let name = place.first else { return self }
    let next = name.hasPrefix("$") ? wildcard.flatMap { $0.name == name ? $0 : nil } : children[Key(name)]
    return next?.node(at: place.dropFirst())
  }

  /// Returns this node with a rule replaced at or below it. The nodes outside of the path to the rule are shared.
  fileprivate func replacing(_ rule: Rule, at place: ArraySlice<String>) -> RuleNode? {
    var (read, write, validate) = (read, write, validate)
    var (children, wildcard) = (children, wildcard)
    if let name = place.first {
      if name.hasPrefix("$") {
        guard let next = wildcard?.replacing(rule, at: place.dropFirst()) else { return nil }
        wildcard = next
      } else {
        let replaced = children.replacing(Key(name)) { $0.replacing(rule, at: place.dropFirst()) }
        guard let replaced else { return nil }
        children = replaced
      }
    } else {
      switch rule.kind {
      case .read: read = rule
      case .write: write = rule
      case .validate: validate = rule
      }
    }
    return RuleNode(
      read: read, write: write, validate: validate, indexes: indexes, children: children, wildcard: wildcard)
  }
}
