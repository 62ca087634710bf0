import HearthJournal

/// One backup: what each journal of a data folder held at an instant, and its other files.
///
/// A manifest needs no other one. It names the pieces of older backups that still hold, so that a restore reads one
/// manifest, or two for a moment between them.
public struct Manifest: Sendable, Equatable {
  /// What a backup added.
  public enum Kind: String, Sendable, CaseIterable {
    /// The bases of all databases.
    case full
    /// Logs since the backup before it, or bases of some databases.
    case incremental
    /// As an incremental one, by a continuous archive: the next one may take its place.
    case continuous
  }

  /// A database's state to begin with, in the form of its journal's snapshots.
  struct Base: Sendable, Equatable {
    var position: Int64
    var runningHash: RunningHash
    var stream: StreamReference
  }

  /// A run of batches of a log, see ``SegmentFormat``.
  struct Segment: Sendable, Equatable {
    var first: Int64
    var last: Int64
    var stream: StreamReference
  }

  /// A journal.
  public struct Database: Sendable, Equatable {
    /// `accounts`, or `databases/NAME`.
    public var name: String
    /// The last commit.
    public var position: Int64
    /// The running hash there.
    public var runningHash: RunningHash
    /// Of its owner.
    var epoch: Int64
    /// Nil for a log that is there from its beginning.
    var base: Base?
    /// In order; each begins where the one before it ends. The first may begin before the base.
    var segments: [Segment]

    /// The position from which on every commit's state can be put together.
    public var firstPosition: Int64 { base?.position ?? 0 }

    /// The first commit of the log that is kept; the next one to come where none is.
    var firstLogged: Int64 { segments.first?.first ?? position + 1 }
  }

  /// Keys and secrets.
  enum Secrets: Sendable, Equatable {
    /// Left out.
    case none
    case clear(StreamReference)
    /// Sealed with a passphrase, see `PassphraseSeal`.
    case sealed(StreamReference)
  }

  /// Its name: the instant, and something that no other one has.
  public var id: String
  /// What it added.
  public var kind: Kind
  /// It has every commit that was acknowledged before this instant, and none that was decided after it. In milliseconds
  /// since 1970.
  public var instantMilliseconds: Int64
  /// The backup that it went on from.
  public var parent: String?
  /// In order of name.
  public var databases: [Database]
  /// The other files of the folder, see ``FileArchive``.
  var files: StreamReference
  var secrets: Secrets

  /// True when keys and secrets are in it, and how: `none`, `clear` or `sealed`.
  public var keysText: String {
    switch secrets {
    case .none: "none"
    case .clear: "clear"
    case .sealed: "sealed"
    }
  }

  /// Bytes of all streams before compression.
  public var sizeBytes: Int { streams.reduce(0) { $0.addingReportingOverflow($1.sizeBytes).partialValue } }

  /// Everything that it needs.
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
