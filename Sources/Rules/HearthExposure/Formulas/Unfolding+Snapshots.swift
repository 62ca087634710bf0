import HearthRules

/// The places of snapshots.
extension Unfolding {
  struct Located {
    var goals: [Goal]
    var side: Side
    var place: PlaceID
  }

  /// Returns the possible places of a snapshot, each with its conditions.
  func snapshots(_ expression: TypedExpression, _ scope: ScopeID) throws(TooMany) -> [Located] {
    switch expression.form {
    case .snapshot(.root): return [Located(goals: [], side: .old, place: TermTable.root)]
    case .snapshot(.data): return [Located(goals: [], side: .old, place: table.scopes[scope].place)]
    case .snapshot(.newData): return [Located(goals: [], side: .new, place: table.scopes[scope].place)]
    case .child(let receiver, let path): return try children(receiver, path, scope)
    case .parent(let receiver):
      return try snapshots(receiver, scope).compactMap { found in
        table.parent(found.place).map { Located(goals: found.goals, side: found.side, place: $0) }
      }
    case .conditional(let condition, let then, let otherwise):
      return try snapshots(then, scope).map {
        Located(goals: [.formula(.holds, condition, scope)] + $0.goals, side: $0.side, place: $0.place)
      }
        + snapshots(otherwise, scope).map {
          Located(goals: [.formula(.fails, condition, scope)] + $0.goals, side: $0.side, place: $0.place)
        }
    case .constant, .now, .wildcard, .auth, .claim, .claimIndex, .query, .queryField, .snapshotTest, .hasChild,
      .hasAllChildren, .length, .text, .matches, .not, .negate, .all, .any, .binary, .unusable:
      return []
    }
  }

  /// Returns the places of `receiver.child(path)`. A path that is not a text is an error.
  func children(
    _ receiver: TypedExpression, _ path: TypedExpression, _ scope: ScopeID
  ) throws(TooMany) -> [Located] {
    let (starts, texts) = (try snapshots(receiver, scope), try values(path, scope))
    if starts.count * texts.count > ExposureLimits.alternativesMax { throw TooMany() }
    return starts.flatMap { start in
      texts.map { text in
        Located(
          goals: start.goals + text.goals + [.literal(.types(text.term, .text))], side: start.side,
          place: table.child(start.place, text.term))
      }
    }
  }
}
