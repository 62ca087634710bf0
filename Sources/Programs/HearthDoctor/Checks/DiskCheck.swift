/// What the disk below a data folder does for it: how long a sync takes, whether that can be true, and how much room there
/// is.
package struct DiskCheck: Sendable {
  /// What a disk says of itself.
  package enum Kind: Sendable, Equatable {
    /// Solid state, or what says it is.
    case solid
    /// Says that it spins.
    case rotating
    /// A virtual machine's: what is below it cannot be seen from here, whatever it says.
    case virtual
    /// Files of another machine; the file system's name.
    case network(String)
    /// Memory, gone with the machine's next start; the file system's name.
    case memory(String)
    /// Nobody says.
    case unknown
  }

  /// Nanoseconds of each of some writes of a block with a sync, as they came.
  package var syncNanoseconds: [Int64]
  /// What the disk says of itself.
  package var kind: Kind
  /// Bytes that the server's user may still write.
  package var freeBytes: Int64
  /// Below so many of them the server refuses writes.
  package var stopBytes: Int64
  /// Below so many it warns.
  package var warnBytes: Int64
  /// Bytes of the data folder's databases and accounts.
  package var dataBytes: Int64

  /// As measured.
  package init(
    syncNanoseconds: [Int64], kind: Kind, freeBytes: Int64, warnBytes: Int64, stopBytes: Int64, dataBytes: Int64
  ) {
    (self.syncNanoseconds, self.kind) = (syncNanoseconds, kind)
    (self.freeBytes, self.dataBytes) = (freeBytes, dataBytes)
    (self.warnBytes, self.stopBytes) = (warnBytes, stopBytes)
  }

  /// Every acknowledged write waits for one sync.
  package static let slowNanoseconds: Int64 = 20_000_000
  /// A plate that turns 15,000 times a minute, the fastest there were, comes by every 4 ms: half of the writes wait longer
  /// than 2 ms. Faster than a quarter of that is no plate.
  package static let plateNanosecondsMin: Int64 = 500_000
  /// Below this nobody can work, whatever the server was told.
  package static let freeBytesMin: Int64 = 1 << 20

  /// The time that the middle one of the syncs took.
  package var medianNanoseconds: Int64? {
    syncNanoseconds.isEmpty ? nil : syncNanoseconds.sorted()[syncNanoseconds.count / 2]
  }

  /// About the disk's kind, its syncs and its room.
  package var findings: [Finding] { place + sync + [room] }

  private var place: [Finding] {
    switch kind {
    case .memory(let name):
      [
        Finding(
          "disk-volatile", .error, "the data folder is on \(name), in memory: nothing of it survives the machine",
          advice: "put the data folder on a disk")
      ]
    case .network(let name):
      [
        Finding(
          "disk-network", .warning, "the data folder is on \(name), a file system of another machine or program",
          advice:
            "use a disk of this machine: locks and syncs of such file systems are as good as the other side's word")
      ]
    case .solid, .rotating, .virtual, .unknown: []
    }
  }

  private var sync: [Finding] {
    guard let median = medianNanoseconds, let worst = syncNanoseconds.max() else {
      return [Finding(unchecked: "sync-slow", "the data folder cannot be written by this user")]
    }
    let figures = "a sync takes \(Self.text(median)), the slowest of \(syncNanoseconds.count) \(Self.text(worst))"
    var findings: [Finding] = []
    if median > Self.slowNanoseconds {
      findings.append(
        Finding(
          "sync-slow", .warning, figures + "; every acknowledged write waits for one",
          advice: "use a faster disk, or one with a write cache that survives a power cut"))
    }
    if median < Self.plateNanosecondsMin, kind == .rotating {
      findings.append(
        Finding(
          "sync-implausible", .warning,
          "the disk says that it spins, and \(figures): something answers before the data is on the plate",
          advice:
            "find out what: a controller with a battery is good, a write cache without one loses acknowledged writes "
            + "when the power fails (hdparm -W)"))
    }
    if findings.isEmpty { findings.append(Finding(ok: "sync", figures)) }
    if kind == .virtual {
      findings.append(
        Finding(
          "disk-virtual", .notice, "the disk is a virtual machine's: whether its syncs are true is up to the host",
          advice: "see that the host passes flushes on (QEMU: any cache mode but unsafe)"))
    }
    return findings
  }

  private var room: Finding {
    let text = "\(Self.megabytes(freeBytes)) are free, and the data takes \(Self.megabytes(dataBytes))"
    if freeBytes < max(stopBytes, Self.freeBytesMin) {
      return Finding(
        "disk-full", .error, text, advice: "make room: writes are refused, and the rest is kept for administration")
    }
    if freeBytes < warnBytes {
      return Finding(
        "disk-low", .warning, text,
        advice: "make room: below \(Self.megabytes(stopBytes)) (--low-space-stop) writes are refused")
    }
    // A snapshot is written beside the log before the log is cut.
    if freeBytes < dataBytes {
      return Finding(
        "disk-room", .warning, text,
        advice: "make room for as much again: a snapshot is written beside what it replaces")
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
