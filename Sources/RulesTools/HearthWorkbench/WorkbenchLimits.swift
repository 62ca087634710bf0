/// The bounds of test files. They are written by hand, and read on build servers that run untrusted proposals.
package enum WorkbenchLimits {
  /// UTF-8 bytes of a test file, its data included.
  package static let fileBytesMax = 16 << 20
  /// Values in a test file. A value with aliases counts again for each alias, so that ten lines of YAML cannot stand
  /// for a billion values.
  package static let valuesMax = 1_000_000
  /// Levels of objects and arrays in a test file: the depth of data (32), and room for the levels around it.
  package static let nestingMax = 64
  /// Cases of a test file, one for each user that a case names.
  package static let casesMax = 100_000
  /// Steps of all cases of a test file.
  package static let stepsMax = 100_000
  /// The maximum number of findings that lint shows of a rules file and its tests.
  package static let findingsMax = 1_000
  /// UTF-8 bytes of rules that are compiled for the mutants of a file, each as long as the rule that it breaks. A long
  /// rule has as many mutants as parts, so without a bound the work would grow with the square of its length.
  package static let mutantBytesMax = 64 << 20
}
