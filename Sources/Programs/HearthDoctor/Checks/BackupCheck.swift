import HearthTree

/// The age of the last backup of a data folder.
package struct BackupCheck: Sendable {
  /// The maximum age: a daily backup is usual, and after two days one has failed.
  static let ageSecondsMax: Int64 = 2 * 86_400

  /// The current time in seconds since 1970.
  package var nowSeconds: Int64
  /// The time of the last backup in seconds since 1970; nil when there is none.
  package var lastSeconds: Int64?
  /// The location of the last backup, as recorded in the folder.
  package var location: String?
  /// True for a development server, whose data needs no backup.
  package var isDevelopment: Bool

  /// True when the folder is that of the installed package, which has a timer for backups.
  package var hasTimer: Bool

  /// Creates a check of the folder's record of its last backup.
  package init(
    nowSeconds: Int64, lastSeconds: Int64?, location: String?, isDevelopment: Bool, hasTimer: Bool = false
  ) {
    (self.nowSeconds, self.lastSeconds, self.location) = (nowSeconds, lastSeconds, location)
    (self.isDevelopment, self.hasTimer) = (isDevelopment, hasTimer)
  }

  /// A single finding.
  package var findings: [Finding] {
    let severity = isDevelopment ? Finding.Severity.notice : .warning
    guard let lastSeconds else {
      return [
        Finding(
          "backup-none", severity, "this folder has no backup",
          advice: hasTimer
            ? "systemctl enable --now hearth-backup.timer makes a daily backup in /var/backups/hearth"
            : "hearth backup create FOLDER --every 1h --keep 30d")
      ]
    }
    let age = nowSeconds.subtractingReportingOverflow(lastSeconds)
    guard !age.overflow, age.partialValue <= Self.ageSecondsMax else {
      return [
        Finding(
          "backup-old", severity,
          "the last backup is \(max(0, age.partialValue) / 3_600) hours old\(location.map { ": \($0.printable)" } ?? "")",
          advice: hasTimer
            ? "check systemctl status hearth-backup.timer hearth-backup.service"
            : "find out why there is no newer backup; hearth backup create makes one")
      ]
    }
    return [Finding(ok: "backup", "the last backup is \(max(0, age.partialValue) / 3_600) hours old")]
  }
}
