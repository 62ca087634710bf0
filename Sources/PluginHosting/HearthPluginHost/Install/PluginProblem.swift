/// The reason why a plugin cannot be installed, changed or run: a sentence for the operator, without a secret in it.
package struct PluginProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The sentence.
  package var description: String

  /// Creates a problem with the given text.
  package init(_ description: String) { self.description = description }
}
