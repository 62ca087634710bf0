/// The bounds of proving, each with its reason. All are counts, so that an answer never depends on the machine.
///
/// Where one is reached, the answer is that it is not known: never closed, never open.
package enum ExposureLimits {
  /// States that are looked at to find a word of one language. Languages of rules files have tens; a few hostile patterns
  /// have more than fit anywhere.
  package static let languageStatesMax = 2_000
  /// Parts of terms that are looked at for the same, some ten nanoseconds each: it bounds what wide states cost.
  package static let languageWorkMax = 500_000
  /// Levels of one language's term; it bounds the stack. The deepest pattern that the rules language takes needs some 400.
  package static let languageHeightMax = 600
  /// UTF-16 units of a constant text. A longer one is not looked into.
  package static let languageTextUnitsMax = 10_000
}
