/// A store of pieces.
public protocol BlobStore: AnyObject {
  /// Stores a piece, unless it exists already.
  ///
  /// - Returns: The piece's name.
  func put(_ piece: [UInt8]) throws -> BlobID

  /// Stores the manifest of new and existing pieces: the last step of a backup, which completes it.
  func commit(_ manifest: Manifest) throws
}
