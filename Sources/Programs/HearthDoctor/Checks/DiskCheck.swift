/// The properties of the disk below a data folder: the duration of a sync and its plausibility, and the free space.
package struct DiskCheck: Sendable {
  /// The kind of a disk, as it describes itself.
  package enum Kind: Sendable, Equatable {
    /// A solid-state disk, or one that claims to be.
    case solid
    /// A disk that claims to rotate.
    case rotating
    /// The disk of a virtual machine, whose hardware cannot be seen from here.
    case virtual
    /// A network file system, with its name.
    case network(String)
    /// A file system in memory, lost at the machine's next start, with its name.
    case memory(String)
    /// An unknown kind.
    case unknown
  }

  /// The measured durations of writes of a block with a sync, in nanoseconds.
  package var syncNanoseconds: [Int64]
  /// The kind of the disk.
  package var kind: Kind
  /// The bytes that the server's user may still write.
  package var freeBytes: Int64
  /// The free space in bytes below which the server refuses writes.
  package var stopBytes: Int64
  /// The free space in bytes below which the server warns.
  package var warnBytes: Int64
  /// The size of the data folder's databases and accounts in bytes.
  package var dataBytes: Int64

  /// Creates a check with these measurements.
  package init(
    syncNanoseconds: [Int64], kind: Kind, freeBytes: Int64, warnBytes: Int64, stopBytes: Int64, dataBytes: Int64
  ) {
    (self.syncNanoseconds, self.kind) = (syncNanoseconds, kind)
    (self.freeBytes, self.dataBytes) = (freeBytes, dataBytes)
    (self.warnBytes, self.stopBytes) = (warnBytes, stopBytes)
  }

  /// The duration above which a sync is slow, because every acknowledged write waits for one.
  package static let slowNanoseconds: Int64 = 20_000_000
  /// The duration below which a sync of a rotating disk is implausible: at 15,000 rotations a minute, the fastest there
  /// were, half of the writes wait longer than 2 ms, and a quarter of that is the limit.
  package static let rotatingNanosecondsMin: Int64 = 500_000
  /// The free space below which no server can work, whatever its configuration.
  package static let freeBytesMin: Int64 = 1 << 20

  /// The median duration of the syncs.
  package var medianNanoseconds: Int64? {
    syncNanoseconds.isEmpty ? nil : syncNanoseconds.sorted()[syncNanoseconds.count / 2]
  }

  /// The findings on the disk's kind, its syncs and its free space.
  package var findings: [Finding] { kindFindings + syncFindings + [spaceFinding] }

  private var kindFindings: [Finding] {
    switch kind {
    case .memory(let name):
      [
        Finding(
          "disk-volatile", .error, "the data folder is on \(name), in memory: all data is lost when the machine stops",
          advice: "put the data folder on a disk")
      ]
    case .network(let name):
      [
        Finding(
          "disk-network", .warning, "the data folder is on \(name), a network or user-space file system",
          advice:
            "use a local disk: locks and syncs of such file systems depend on the other machine or program")
      ]
    case .solid, .rotating, .virtual, .unknown: []
    }
  }

  private var syncFindings: [Finding] {
    guard let median = medianNanoseconds, let worst = syncNanoseconds.max() else {
      return [Finding(unchecked: "sync-slow", "the data folder cannot be written by this user")]
    }
    let figures = "a sync takes \(Self.text(median)), at most \(Self.text(worst)) (\(syncNanoseconds.count) measured)"
    var findings: [Finding] = []
    if median > Self.slowNanoseconds {
      findings.append(
        Finding(
          "sync-slow", .warning, figures + "; every acknowledged write waits for a sync",
          advice: "use a faster disk, or one with a power-protected write cache"))
    }
    if median < Self.rotatingNanosecondsMin, kind == .rotating {
      findings.append(
        Finding(
          "sync-implausible", .warning,
          "\(figures), too fast for a rotating disk: a cache seems to acknowledge data before it is on the disk",
          advice:
            "check the cache: with a battery it is safe; without one, acknowledged writes are lost "
            + "when the power fails (hdparm -W)"))
    }
    if findings.isEmpty { findings.append(Finding(ok: "sync", figures)) }
    if kind == .virtual {
      findings.append(
        Finding(
          "disk-virtual", .notice, "the disk is virtual: whether a sync reaches the real disk depends on the host",
          advice: "make sure that the host forwards flushes (QEMU: any cache mode except unsafe)"))
    }
    return findings
  }

  private var spaceFinding: Finding {
    let text = "\(Self.megabytes(freeBytes)) are free; the data takes \(Self.megabytes(dataBytes))"
    if freeBytes < max(stopBytes, Self.freeBytesMin) {
      return Finding(
        "disk-full", .error, text, advice: "free disk space: client writes are refused")
    }
    if freeBytes < warnBytes {
      return Finding(
        "disk-low", .warning, text,
        advice: "free disk space: below \(Self.megabytes(stopBytes)) (--low-space-stop) writes are refused")
    }
    // A snapshot is written beside the log before the log is truncated.
    if freeBytes < dataBytes {
      return Finding(
        "disk-room", .warning, text,
        advice: "free as much space as the data takes: a new snapshot is written before the old one is deleted")
    }
    return Finding(ok: "disk-room", text)
  }

  private static func text(_ nanoseconds: Int64) -> String {
    let tenths = nanoseconds / 100_000
    return nanoseconds < 1_000_000 ? "\(nanoseconds / 1_000) µs" : "\(tenths / 10).\(tenths % 10) ms"
  }

  private static func megabytes(_ bytes: Int64) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}
