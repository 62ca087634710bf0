/// The signature and the documentation of a function of the rules language.
///
/// The checker and the generators of tests use it. The lists of functions in other languages and in the guides are
/// generated from it.
package struct FunctionDescriptor: Sendable {
  /// The values that have the function.
  package enum Receiver: Sendable, Hashable, CaseIterable {
    case snapshot
    case text
  }

  /// The arguments that a function accepts.
  package enum Parameters: Sendable, Equatable {
    /// None: it is a property, which is not called.
    case property
    /// Texts, with their names in the documentation.
    case texts([String])
    /// None, or an array of names.
    case optionalNames
    /// A regular expression literal.
    case pattern
  }

  /// The name in rules.
  package let name: String
  /// The values that have the function.
  package let receiver: Receiver
  /// The arguments.
  package let parameters: Parameters
  /// The type of the result.
  package let type: StaticType
  /// A description of the result for the editor's help: a sentence without a full stop.
  package let result: String

  /// The number of text arguments of a call.
  package var textCount: Int { if case .texts(let names) = parameters { names.count } else { 0 } }

  /// The forms of a call.
  package var usages: [String] {
    switch parameters {
    case .property: [name]
    case .texts(let names): ["\(name)(\(names.joined(separator: ", ")))"]
    case .optionalNames: ["\(name)()", "\(name)(['a', 'b'])"]
    case .pattern: ["\(name)(/pattern/i)"]
    }
  }
}
