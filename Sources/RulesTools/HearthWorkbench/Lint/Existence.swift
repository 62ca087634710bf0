import HearthRules

extension CanonicalText {
  /// Returns the paths, in the form of ``path(of:)``, at which data exists when all of the conditions are true.
  func existing(where conditions: [TypedExpression]) -> Set<String> {
    Set(conditions.flatMap { existing(where: $0) })
  }

  private func existing(where condition: TypedExpression) -> [String] {
    switch condition.form {
    case .snapshotTest(let snapshot, let function) where function.provesExistence:
      return [path(of: snapshot)].compactMap(\.self)
    case .hasChild(let snapshot, let name): return [path(ofChild: name, of: snapshot)].compactMap(\.self)
    case .hasAllChildren(let snapshot, let names):
      return names.compactMap { path(ofChild: $0, of: snapshot) }
    case .binary(.notEqual, let left, let right):
      return [(left, right), (right, left)].compactMap { value, other in
        if case .constant(.null) = other.form { valuePath(value) } else { nil }
      }
    case .binary(.equal, let left, let right):
      return [(left, right), (right, left)].compactMap { value, other in
        ValueKinds(of: other).contains(.null) ? nil : valuePath(value)
      }
    default: return []
    }
  }

  /// Returns the path of a value; nil for other expressions.
  func valuePath(_ value: TypedExpression) -> String? {
    guard case .snapshotTest(let snapshot, .val) = value.form else { return nil }
    return path(of: snapshot)
  }

  private func path(ofChild name: TypedExpression, of snapshot: TypedExpression) -> String? {
    guard let path = path(of: snapshot), case .constant(.string(let text)) = name.form else { return nil }
    return ([path.hasSuffix("/") ? String(path.dropLast()) : path] + text.split(separator: "/").map { "=" + $0 })
      .joined(separator: "/")
  }
}
