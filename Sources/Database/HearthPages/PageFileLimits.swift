/// The limits of a database's page files, with one reason each.
package enum PageFileLimits {
  /// The bytes of a segment file. A smaller size needs more descriptors, and a larger one keeps dead pages longer.
  package static let segmentSizeBytesMax = 64 << 20

  /// The bytes of a piece, the unit of backups. No record is in two pieces.
  package static let pieceSizeBytes = 1 << 20

  /// The number of segments in the life of a database: addresses of pages end at 8 TiB, and are not used twice.
  package static let segmentsMax = 131_072

  /// The records, in bytes, that the writer collects for one write to the file.
  package static let writeSizeBytes = 1 << 20

  /// The files that a database has open for reading at the same time.
  package static let openFilesMax = 128

  /// The bytes of the location of a root, which contains the root's priority: a text of at most 10 MiB.
  package static let rootSizeBytesMax = 11 << 20
}
