/// Where pieces are put.
public protocol BlobStore: AnyObject {
  /// Keeps a piece, unless it is there already.
  ///
  /// - Returns: its name.
  func put(_ piece: [UInt8]) throws -> BlobID

  /// Keeps the manifest of what was put, and of what was there: the last step of a backup, after which it is one.
  func commit(_ manifest: Manifest) throws
}
