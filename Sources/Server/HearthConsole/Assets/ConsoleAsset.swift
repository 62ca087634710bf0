/// A file of the page, as the build left it.
package struct ConsoleAsset: Sendable {
  /// Its name, with a hash of what is in it; `index.html` has none.
  package let name: String
  /// Its media type.
  package let contentType: String
  /// True when browsers may keep it for ever.
  package let isImmutable: Bool
  /// What is in it, compressed with gzip.
  package let compressed: [UInt8]
}
