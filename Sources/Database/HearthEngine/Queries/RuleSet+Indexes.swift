import HearthRules
import HearthTree

extension RuleSet {
  /// Returns true when the order needs no declaration, or the rules declare it for the children of the node at `path`.
  func declares(_ order: Query.Order, at path: Path) -> Bool {
    switch order {
    case .key, .priority: true
    case .value: indexes(at: path).contains(.value)
    case .child(let child): indexes(at: path).contains(.child(child))
    }
  }
}

extension Failure {
  /// Returns the failure of a `get` in an undeclared order. Client libraries depend on its wording.
  static func indexNotDefined(_ order: Query.Order, at path: Path) -> Failure {
    let name =
      switch order {
      case .key: ".key"
      case .priority: ".priority"
      case .value: ".value"
      case .child(let child): child.keys.map(\.text).joined(separator: "/")
      }
    return Failure(
      .indexNotDefined, "Index not defined, add \".indexOn\": \"\(name)\", for path \"\(path)\", to the rules")
  }
}
