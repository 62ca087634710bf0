/// The signature and the documentation of a function of the rules language.
///
/// The checker reads it, and so do the generators of tests. The lists of functions in other languages and in the guides
/// are written from it.
package struct FunctionDescriptor: Sendable {
  /// The values that have the function.
  package enum Receiver: Sendable, Hashable, CaseIterable {
    case snapshot
    case text
  }

  /// The arguments that a function takes.
  package enum Parameters: Sendable, Equatable {
    /// A property, which is read and not called.
    case property
    /// Texts, by the names that the documentation gives them.
    case texts([String])
    /// Nothing, or a list of names.
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
  /// The result, as a sentence without its full stop for the editor's help.
  package let result: String

  /// The number of texts that a call takes.
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
