/// A file of the page, from the build.
package struct ConsoleAsset: Sendable {
  /// The name, with a hash of the content; `index.html` has none.
  package let name: String
  /// The media type.
  package let contentType: String
  /// True when browsers may keep it for ever.
  package let isImmutable: Bool
  /// The content, compressed with gzip.
  package let compressed: [UInt8]
}
