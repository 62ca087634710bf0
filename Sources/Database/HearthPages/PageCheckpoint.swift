import HearthBytes
import HearthTree

/// The durable state of a paged database: the content of a journal's checkpoint, from which a start continues with the
/// log.
///
///     version        1   1
///     position       8
///     running hash   8
///     root           4 for its length, then the bytes of a `StoredNode`
///     sessions       likewise
///     the extent of the page files, as `PageFileExtent` describes it
///
/// The journal stores these bytes with a checksum. Numbers are little-endian.
package struct PageCheckpoint: Sendable, Equatable {
  /// The position of the last commit in the state.
  package var position: Int64
  /// The running hash of the log at the position.
  package var runningHash: UInt64
  /// The bytes of the location of the data's root.
  package var root: [UInt8]
  /// The bytes of the location of the sessions' root.
  package var sessions: [UInt8]
  /// The extent of the page files, below which all pages of the state are.
  package var extent: PageFileExtent

  private static let version: UInt8 = 1

  /// Creates a checkpoint.
  package init(position: Int64, runningHash: UInt64, root: StoredNode, sessions: StoredNode, extent: PageFileExtent) {
    (self.position, self.runningHash, self.extent) = (position, runningHash, extent)
    (self.root, self.sessions) = (root.bytes, sessions.bytes)
  }

  /// Reads the bytes of a checkpoint.
  package init(_ bytes: [UInt8]) throws(PageError) { try self.init(bytes, layout: .standard) }

  init(_ bytes: [UInt8], layout: PageFileLayout) throws(PageError) {
    guard bytes.first == Self.version else {
      let version = bytes.first.map(String.init) ?? "none"
      throw PageError(
        "the checkpoint has format \(version), which this version of the server does not read; use a newer one",
        .unsupported)
    }
    var reader = ByteReader(bytes.dropFirst())
    do {
      position = try reader.number()
      runningHash = try reader.number()
      (root, sessions) = (try reader.sized(), try reader.sized())
      extent = try PageFileExtent(&reader, layout: layout)
      try reader.end()
    } catch {
      throw PageError("the checkpoint is damaged: \(error)")
    }
    guard position >= 0, max(root.count, sessions.count) <= PageFileLimits.rootSizeBytesMax else {
      throw PageError("the checkpoint is damaged: a value is out of range")
    }
  }

  /// The encoded checkpoint.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.number(Self.version)
    writer.number(position)
    writer.number(runningHash)
    writer.sized(root)
    writer.sized(sessions)
    extent.write(to: &writer)
    return writer.bytes
  }
}
