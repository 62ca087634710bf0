import HearthRules

/// The result of a function of snapshots, as the prover represents it.
enum SnapshotProof {
  /// True when the node's value has one of these types, and false otherwise.
  case types(TypeSet)
  /// A value of the node that has its own kind of term.
  case value((Side, PlaceID) -> Term)
}

/// The result of a function of texts, as the prover represents it.
enum TextProof {
  /// A relation of the text to the argument.
  case relation(TextRelation)
  /// A value that only depends on the text and the arguments. The results are computed when those are known; the
  /// language contains all results, and is nil when nothing is known about them.
  case value(results: ((Languages) -> Language)?)
}

extension SnapshotFunction {
  /// The representation of the function in proofs.
  var proof: SnapshotProof {
    switch self {
    case .val: .value(Term.value)
    case .exists: .types(.present)
    case .isString: .types(.text)
    case .isNumber: .types(.number)
    case .isBoolean: .types(.bool)
    case .getPriority: .value(Term.priority)
    case .hasChildren: .types(.object)
    }
  }
}

extension TextFunction {
  /// The representation of the function in proofs.
  var proof: TextProof {
    switch self {
    case .contains: .relation(.contains)
    case .beginsWith: .relation(.beginsWith)
    case .endsWith: .relation(.endsWith)
    case .replace: .value(results: nil)
    case .toLowerCase: .value(results: \.lowercased)
    case .toUpperCase: .value(results: \.uppercased)
    }
  }

  /// Returns a language that contains all results; nil when nothing is known about them.
  func results(_ languages: Languages) -> Language? {
    if case .value(let results?) = proof { results(languages) } else { nil }
  }
}
