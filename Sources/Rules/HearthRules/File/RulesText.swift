/// The text from which rules were compiled.
indirect enum RulesText: Sendable {
  /// A file as it was passed, its plain JSON, and its origin.
  case file(String, strictJSON: [UInt8], origin: RulesOrigin?)
  /// Another text with one rule replaced. It is generated on demand, which takes as long as reading the whole file,
  /// because a tool creates thousands of files that differ in one rule, and the text of few of them is ever read.
  case edited(RulesText, RuleEdit)

  var source: String {
    switch self {
    case .file(let source, _, _): source
    case .edited: String(decoding: strictJSON, as: UTF8.self)
    }
  }

  var origin: RulesOrigin? { if case .file(_, _, let origin) = self { origin } else { nil } }

  var strictJSON: [UInt8] {
    switch self {
    case .file(_, let strictJSON, _): strictJSON
    case .edited(let text, let edit): edit.strictJSON(of: text.source)
    }
  }
}

/// A replacement of one rule of a file.
struct RuleEdit: Sendable {
  let kind: RuleKind
  /// The names from the root of the rules.
  let place: [String]
  let expression: String

  func strictJSON(of source: String) -> [UInt8] {
    guard var document = try? RulesDocument.parse(source), case .object(var members) = document.root.form,
      let index = members.firstIndex(where: { $0.name.value == "rules" })
    else { return Array(source.utf8) }  // not reached, because the source was compiled before
    members[index].value = members[index].value.replacing("." + kind.rawValue, at: place[...], with: expression)
    document.root.form = .object(members)
    return document.strictJSON
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
