/// Injected faults: wrong rules of inference that tests enable to verify that the checks detect them. The product
/// enables none.
struct ExposureFaults: OptionSet {
  let rawValue: Int

  /// Two values of one class are never unequal: ignores nodes with children, and NaN.
  static let unequalRefutes = ExposureFaults(rawValue: 1)
  /// A uid in a path is exactly one key: ignores uids with slashes.
  static let uidIsOneKey = ExposureFaults(rawValue: 2)
  /// Places above the written one are unchanged.
  static let sameAboveWrite = ExposureFaults(rawValue: 4)
  /// A delete is checked by no `.validate` above it.
  static let deleteSkipsAncestors = ExposureFaults(rawValue: 8)
  /// A branch that ends without a request counts as refuted.
  static let leafNotMarked = ExposureFaults(rawValue: 16)
  /// `<`, `<=`, `>` and `>=` apply to numbers only.
  static let orderIsOfNumbers = ExposureFaults(rawValue: 32)
  /// A place that may be the written one is treated as different.
  static let perhapsIsBeside = ExposureFaults(rawValue: 64)
  /// Deleting below a leaf deletes the leaf.
  static let leafVanishes = ExposureFaults(rawValue: 128)
  /// Places other than the one in question are unchanged in an update.
  static let sameBesideUpdate = ExposureFaults(rawValue: 256)
}
