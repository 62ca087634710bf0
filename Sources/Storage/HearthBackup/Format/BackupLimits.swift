/// The limits of backups, one reason each.
public enum BackupLimits {
  /// A piece of a stream has at least this many bytes, so that a change of some bytes makes few new pieces, and a large
  /// database few files.
  static let pieceBytesMin = 256 << 10

  /// Beyond the least, a piece ends at a place whose chance is one in this many bytes.
  static let pieceBytesAim = 1 << 20

  /// A piece has at most this many bytes: what is held in memory of a database. A chunk of a snapshot may have as many.
  static let pieceBytesMax = 4 << 20

  /// A stream. Far more than a database that is held in memory; sums of what a list says of strangers stay numbers.
  static let streamBytesMax: Int64 = 1 << 40

  /// A manifest's file. It names every piece of small streams, and lists of the pieces of large ones.
  static let manifestBytesMax = 16 << 20

  /// Keys and secrets of a folder, which are sealed as one in memory.
  static let secretBytesMax = 64 << 20

  /// Pieces that a stream names by itself; those of a longer one are in a list, so that the next manifest need not name
  /// them again.
  static let inlinePiecesMax = 8

  /// Segments of a database's log after which the small ones are put together: a continuous archive adds one every few
  /// seconds.
  static let segmentsMax = 32

  /// Segments smaller than this are put together.
  static let smallSegmentBytes = 1 << 20

  /// Log since the last base after which another base is taken, if the base is not larger: a restore replays at most
  /// about as much as it loads.
  static let rebaseBytes = 64 << 20

  /// The number of attempts of a backup whose folder changes meanwhile.
  static let attemptsMax = 5

  /// The path of a file in a data folder.
  static let pathBytesMax = 4_096

  /// Levels of folders in a data folder.
  static let folderDepthMax = 32
}
