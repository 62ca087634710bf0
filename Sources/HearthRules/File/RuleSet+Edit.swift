extension RuleSet {
  /// The same rules with another expression at one place.
  ///
  /// Positions of what was not changed are those of the file that this set was compiled from; ``source`` is plain JSON.
  ///
  /// - Parameters:
  ///   - kind: which rule of the place. One that is not there is added.
  ///   - place: names from the root of the rules down, as in ``Rule/place``. One that the file does not name changes nothing.
  ///   - expression: the rule's text; `true` for a `.validate`, and `false` for the others, is as good as no rule.
  /// - Throws: ``RulesError`` when the result is no rules file.
  package func replacing(
    _ kind: RuleKind, at place: [String], with expression: String
  ) throws(RulesError) -> RuleSet {
    var document = try RulesDocument.parse(source)
    guard case .object(var members) = document.root.form,
      let index = members.firstIndex(where: { $0.name.value == "rules" })
    else { return self }
    members[index].value = members[index].value.replacing("." + kind.rawValue, at: place[...], with: expression)
    document.root.form = .object(members)
    let (root, warnings) = try RuleTreeBuilder.build(document, keepsExpressions: true)
    let strictJSON = document.strictJSON
    return RuleSet(
      storage: Storage(
        source: String(decoding: strictJSON, as: UTF8.self), strictJSON: strictJSON, root: root, warnings: warnings,
        isInspectable: true))
  }
}

extension RulesDocument.Value {
  fileprivate func replacing(_ rule: String, at place: ArraySlice<String>, with expression: String) -> Self {
    guard case .object(var members) = form else { return self }
    let name = place.first ?? rule
    let index = members.firstIndex { $0.name.value == name }
    if place.isEmpty {
      let value = Self(form: .text(.init(value: expression, offset: offset, anchors: [])), offset: offset)
      if let index {
        members[index].value = value
      } else {
        members.append(.init(name: .init(value: rule, offset: offset, anchors: []), value: value))
      }
    } else if let index {
      members[index].value = members[index].value.replacing(rule, at: place.dropFirst(), with: expression)
    }
    return Self(form: .object(members), offset: offset)
  }
}
