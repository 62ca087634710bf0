/// The limits of test files. Test files are written by hand, but build servers also read those of untrusted pull
/// requests.
package enum WorkbenchLimits {
  /// The size of a test file in UTF-8 bytes, including its data.
  package static let fileBytesMax = 16 << 20
  /// Values in a test file. A value with aliases counts again for each alias, so that ten lines of YAML cannot
  /// represent a billion values.
  package static let valuesMax = 1_000_000
  /// Levels of objects and arrays in a test file: the depth of data (32), and the levels around it.
  package static let nestingMax = 64
  /// Cases of a test file; a case with several users counts once for each.
  package static let casesMax = 100_000
  /// Steps of all cases of a test file.
  package static let stepsMax = 100_000
  /// The maximum number of findings that lint shows of a rules file and its tests.
  package static let findingsMax = 1_000
  /// UTF-8 bytes of rules that are compiled for the mutants of a file, each of which is as long as its rule. A long
  /// rule has one or more mutants for each part, so without a limit the work would grow with the square of its length.
  package static let mutantBytesMax = 64 << 20
}
