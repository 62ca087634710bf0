import HearthJournal

/// The manifest of one backup: the state of each journal of a data folder at an instant, and its other files.
///
/// A manifest is complete by itself. It names the pieces of older backups that are still valid, so that a restore reads
/// only one manifest, or two for a state between two backups.
public struct Manifest: Sendable, Equatable {
  /// The kind of a backup, according to its new data.
  public enum Kind: String, Sendable, CaseIterable {
    /// A backup with new bases of all databases.
    case full
    /// A backup with the logs since the previous backup, and new bases of some databases.
    case incremental
    /// An incremental backup of a continuous archive, which the next one may replace.
    case continuous
  }

  /// The initial state of a database, in the format of its journal's snapshots.
  struct Base: Sendable, Equatable {
    var position: Int64
    var runningHash: RunningHash
    var stream: StreamReference
  }

  /// A sequence of batches of a log, see ``SegmentFormat``.
  struct Segment: Sendable, Equatable {
    var first: Int64
    var last: Int64
    var stream: StreamReference
  }

  /// The backup of a journal.
  public struct Database: Sendable, Equatable {
    /// The name: `accounts`, or `databases/NAME`.
    public var name: String
    /// The position of the last commit.
    public var position: Int64
    /// The running hash at the position.
    public var runningHash: RunningHash
    /// The epoch of its owner.
    var epoch: Int64
    /// The base; nil for a log from its beginning.
    var base: Base?
    /// The log segments in order; each begins where the one before it ends. The first may begin before the base.
    var segments: [Segment]

    /// The first position whose state can be restored.
    public var firstPosition: Int64 { base?.position ?? 0 }

    /// The first commit in the log segments; the next position when there are none.
    var firstLogged: Int64 { segments.first?.first ?? position + 1 }
  }

  /// The stored form of keys and secrets.
  enum Secrets: Sendable, Equatable {
    /// Keys and secrets are omitted.
    case none
    case clear(StreamReference)
    /// Keys and secrets are sealed with a passphrase, see `PassphraseSeal`.
    case sealed(StreamReference)
  }

  /// The name of the backup: its instant and a unique suffix.
  public var id: String
  /// The kind of the backup.
  public var kind: Kind
  /// The instant of the backup, in milliseconds since 1970: it contains every commit acknowledged before it, and none
  /// decided after it.
  public var instantMilliseconds: Int64
  /// The previous backup; nil when there was none.
  public var parent: String?
  /// The journals in the order of their names.
  public var databases: [Database]
  /// The other files of the folder, see ``FileArchive``.
  var files: StreamReference
  var secrets: Secrets

  /// The form of keys and secrets: `none`, `clear` or `sealed`.
  public var keysText: String {
    switch secrets {
    case .none: "none"
    case .clear: "clear"
    case .sealed: "sealed"
    }
  }

  /// The size of all streams before compression.
  public var sizeBytes: Int { streams.reduce(0) { $0.addingReportingOverflow($1.sizeBytes).partialValue } }

  /// The streams that the backup needs.
  var streams: [StreamReference] {
    var streams = databases.flatMap { database in
      (database.base.map { [$0.stream] } ?? []) + database.segments.map(\.stream)
    }
    streams.append(files)
    switch secrets {
    case .none: break
    case .clear(let stream), .sealed(let stream): streams.append(stream)
    }
    return streams
  }

  func database(_ name: String) -> Database? { databases.first { $0.name == name } }
}
