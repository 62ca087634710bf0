import HearthBytes
import HearthTree

/// The durable state of a paged database: the content of a journal's checkpoint, from which a start continues with the
/// log. The journal stores the state's position beside these bytes, and a checksum.
///
///     version        1   1
///     root           4 for its length, then the bytes of a `StoredNode`
///     sessions       likewise
///     settings       likewise
///     the extent of the page files, as `PageFileExtent` describes it
///
/// Numbers are little-endian.
package struct PageCheckpoint: Sendable, Equatable {
  /// The bytes of the location of the data's root.
  package var root: [UInt8]
  /// The bytes of the location of the sessions' root.
  package var sessions: [UInt8]
  /// The bytes of the location of the settings' root: a node with what else belongs to the state, such as its rules.
  package var settings: [UInt8]
  /// The extent of the page files, below which all pages of the state are.
  package var extent: PageFileExtent

  private static let version: UInt8 = 1

  /// Creates a checkpoint.
  package init(root: StoredNode, sessions: StoredNode, settings: StoredNode, extent: PageFileExtent) {
    (self.root, self.sessions, self.settings) = (root.bytes, sessions.bytes, settings.bytes)
    self.extent = extent
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
      (root, sessions, settings) = (try reader.sized(), try reader.sized(), try reader.sized())
      extent = try PageFileExtent(&reader, layout: layout)
      try reader.end()
    } catch {
      throw PageError("the checkpoint is damaged: \(error)")
    }
    guard max(root.count, sessions.count, settings.count) <= PageFileLimits.rootSizeBytesMax else {
      throw PageError("the checkpoint is damaged: a value is out of range")
    }
  }

  /// The encoded checkpoint.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.number(Self.version)
    writer.sized(root)
    writer.sized(sessions)
    writer.sized(settings)
    extent.write(to: &writer)
    return writer.bytes
  }
}
