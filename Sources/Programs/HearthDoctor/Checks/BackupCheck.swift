import HearthTree

/// How old the last backup of the data folder is.
package struct BackupCheck: Sendable {
  /// A backup a day is what most have; two days are one that failed.
  static let ageSecondsMax: Int64 = 2 * 86_400

  /// Seconds since 1970.
  package var nowSeconds: Int64
  /// When the last one was made, in seconds since 1970; nil when none was.
  package var lastSeconds: Int64?
  /// Where the last one is, as the folder's note says.
  package var place: String?
  /// Data that nobody would miss.
  package var isDevelopment: Bool

  /// As the folder's note of its last backup says.
  package init(nowSeconds: Int64, lastSeconds: Int64?, place: String?, isDevelopment: Bool) {
    (self.nowSeconds, self.lastSeconds, self.place) = (nowSeconds, lastSeconds, place)
    self.isDevelopment = isDevelopment
  }

  /// One.
  package var findings: [Finding] {
    let severity = isDevelopment ? Finding.Severity.notice : .warning
    guard let lastSeconds else {
      return [
        Finding(
          "backup-none", severity, "no backup of this folder has been made",
          advice: "hearth backup create FOLDER --every 1h --keep 30d")
      ]
    }
    let age = nowSeconds.subtractingReportingOverflow(lastSeconds)
    guard !age.overflow, age.partialValue <= Self.ageSecondsMax else {
      return [
        Finding(
          "backup-old", severity,
          "the last backup is \(max(0, age.partialValue) / 3_600) hours old\(place.map { ": \($0.printable)" } ?? "")",
          advice: "see why there is no newer one; hearth backup create makes one")
      ]
    }
    return [Finding(ok: "backup", "the last backup is \(max(0, age.partialValue) / 3_600) hours old")]
  }
}
