import HearthRules
import HearthTree

/// A search for queries in test files without a matching `.indexOn`.
struct QueryLint {
  let rules: RuleSet

  /// Returns the findings in a test file, one for each order of a location's children.
  func findings(in test: RulesTestFile) -> [LintFinding] {
    var (findings, seen) = ([LintFinding](), Set<Wanted>())
    for step in test.cases.flatMap(\.steps) where step.isAllowed {
      guard findings.count < WorkbenchLimits.findingsMax else { break }
      guard case .read(let path, let query?) = step.request, let (index, name) = Self.index(for: query.order) else {
        continue
      }
      let place = place(of: path)
      guard !(place?.indexes.contains(index) ?? false) else { continue }
      let wanted = Wanted(place: place.map { ObjectIdentifier($0) }, path: place == nil ? path : .root, name: name)
      guard seen.insert(wanted).inserted else { continue }
      findings.append(finding(at: step.place, path, name, in: test.document))
    }
    return findings
  }

  /// A missing index, identified by the rules' node or, when the rules have none for the path, by the path.
  private struct Wanted: Hashable {
    var place: ObjectIdentifier?
    var path: Path
    var name: String
  }

  private static func index(for order: Query.Order?) -> (RuleIndex, name: String)? {
    switch order {
    case .key, .priority, nil: nil
    case .value: (.value, ".value")
    case .child(let path): (.child(path), path.keys.map(\.text).joined(separator: "/"))
    }
  }

  private func place(of path: Path) -> RuleNode? {
    var node: RuleNode? = rules.root
    for key in path.keys { node = node?.child(key) }
    return node
  }

  private func finding(at place: TextOffset, _ path: Path, _ name: String, in document: DocumentText) -> LintFinding {
    let message = LintFinding.printable(
      "This query of \(path) is ordered by \(name), and the rules have no index for it.")
    var diagnostic = document.problem(message, at: place).diagnostic
    diagnostic.help = LintFinding.printable("\".indexOn\": [\"\(name)\"] at \(path). ") + LintCode.missingIndex.help
    return LintFinding(
      code: .missingIndex, file: document.file, path: LintFinding.printable("\(path)"), kind: nil,
      diagnostic: diagnostic)
  }
}
