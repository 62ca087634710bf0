import HearthTree

extension RuleSet {
  /// The same rules with another expression at one place, in the time of compiling that expression: all other rules are
  /// shared.
  ///
  /// Positions in the rule that is replaced are those in its own text, all others those in the file that this set was
  /// compiled from; ``warnings`` are those of that file, and ``source`` is plain JSON. The limit on the regular
  /// expressions of a file applies to the rule alone.
  ///
  /// - Parameters:
  ///   - kind: the kind of the rule. A missing one is added.
  ///   - place: names from the root of the rules down, as in ``Rule/place``. A place without a rule in the file, at it
  ///     or below, changes nothing.
  ///   - expression: the rule's text; `true` for a `.validate`, and `false` for the others, is equivalent to no rule.
  /// - Throws: ``RulesError`` when the expression is no rule there.
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
  /// Compiles a rule of a file by itself.
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

  /// A place below, by its names; nil when no rule of the file names it.
  fileprivate func node(at place: ArraySlice<String>) -> RuleNode? {
    guard let name = place.first else { return self }
    let next = name.hasPrefix("$") ? wildcard.flatMap { $0.name == name ? $0 : nil } : children[Key(name)]
    return next?.node(at: place.dropFirst())
  }

  /// The same place with a rule at a place below it, or at itself. Places not on the way there are shared.
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
