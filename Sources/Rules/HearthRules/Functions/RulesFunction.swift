/// A function of the rules language.
package enum RulesFunction: Sendable {
  case snapshot(SnapshotFunction)
  case child
  case parent
  case hasChild
  case length
  case matches
  case text(TextFunction)

  /// All functions: those of snapshots, then those of texts.
  package static let all: [RulesFunction] =
    SnapshotFunction.allCases.map { .snapshot($0) } + [.child, .parent, .hasChild, .length, .matches]
    + TextFunction.allCases.map { .text($0) }

  private static let byName: [FunctionDescriptor.Receiver: [String: RulesFunction]] =
    Dictionary(grouping: all, by: \.descriptor.receiver).mapValues { functions in
      Dictionary(uniqueKeysWithValues: functions.map { ($0.descriptor.name, $0) })
    }

  /// Returns the function of a name; nil when the receiver has none of that name.
  static func named(_ name: String, of receiver: FunctionDescriptor.Receiver) -> RulesFunction? {
    byName[receiver]?[name]
  }

  /// The names of a receiver's functions.
  static func names(of receiver: FunctionDescriptor.Receiver) -> [String] {
    all.map(\.descriptor).filter { $0.receiver == receiver }.map(\.name)
  }

  /// The signature and the documentation.
  package var descriptor: FunctionDescriptor {
    switch self {
    case .snapshot(let function): function.descriptor
    case .text(let function): function.descriptor
    case .child:
      FunctionDescriptor(
        name: "child", receiver: .snapshot, parameters: .texts(["path"]), type: .snapshot,
        result: "the snapshot at a path below")
    case .parent:
      FunctionDescriptor(
        name: "parent", receiver: .snapshot, parameters: .texts([]), type: .snapshot,
        result: "the snapshot one level above")
    case .hasChild:
      FunctionDescriptor(
        name: "hasChild", receiver: .snapshot, parameters: .texts(["path"]), type: .boolean,
        result: "true if data exists at a path below")
    case .length:
      FunctionDescriptor(
        name: "length", receiver: .text, parameters: .property, type: .number,
        result: "the number of UTF-16 units of the string")
    case .matches:
      FunctionDescriptor(
        name: "matches", receiver: .text, parameters: .pattern, type: .boolean,
        result: "true if the string matches the pattern")
    }
  }
}
