import HearthTree

/// A function of snapshots that computes its result from the snapshot's node.
package enum SnapshotFunction: String, Sendable, CaseIterable {
  case val
  case exists
  case isString
  case isNumber
  case isBoolean
  case getPriority
  case hasChildren

  /// The signature and the documentation.
  package var descriptor: FunctionDescriptor {
    switch self {
    case .val: makeDescriptor(.value, "the value: a string, a number, true, false, or null without data")
    case .exists: makeDescriptor(.boolean, "true if data exists")
    case .isString: makeDescriptor(.boolean, "true if the value is a string")
    case .isNumber: makeDescriptor(.boolean, "true if the value is a number")
    case .isBoolean: makeDescriptor(.boolean, "true if the value is a boolean")
    case .getPriority: makeDescriptor(.value, "the priority, or null")
    case .hasChildren:
      makeDescriptor(.boolean, taking: .optionalNames, "true if children exist, or all of the named children")
    }
  }

  private func makeDescriptor(
    _ type: StaticType, taking parameters: FunctionDescriptor.Parameters = .texts([]), _ result: String
  ) -> FunctionDescriptor {
    FunctionDescriptor(name: rawValue, receiver: .snapshot, parameters: parameters, type: type, result: result)
  }

  /// True when the result is only true for nodes that are not empty.
  package var provesExistence: Bool {
    switch self {
    case .exists, .isString, .isNumber, .isBoolean, .hasChildren: true
    case .val, .getPriority: false
    }
  }

  /// The aspects of the node on which the result depends.
  var aspects: ReadDependencies.Aspects {
    switch self {
    case .val, .isString, .isNumber, .isBoolean: .value
    case .exists: .existence
    case .getPriority: .priority
    case .hasChildren: .children
    }
  }

  /// Returns the result of a function whose result is a Boolean.
  func isTrue(for node: BorrowedNode) -> Bool {
    switch self {
    case .exists: !node.isEmpty
    case .isString: node.isText
    case .isNumber: node.isNumber
    case .isBoolean: node.isBool
    case .hasChildren: node.isInterior
    case .val, .getPriority: false  // their results are not Booleans
    }
  }

  /// Returns the result of a function.
  func value(for node: BorrowedNode) -> Operand {
    switch self {
    case .val: Operand(node)
    case .getPriority: Operand(node.priority)
    case .exists, .isString, .isNumber, .isBoolean, .hasChildren: .bool(isTrue(for: node))
    }
  }
}
