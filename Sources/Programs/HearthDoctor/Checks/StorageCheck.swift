/// A check of the files of databases and accounts, and of a running server's writes to them.
package struct StorageCheck: Sendable {
  /// A file with the format on its first page.
  package struct Journal: Sendable {
    /// The path of the file.
    package var path: String
    /// The version of the format; nil when the file is no journal.
    package var format: Int64?

    /// Creates a file with the version on its first page.
    package init(path: String, format: Int64?) { (self.path, self.format) = (path, format) }
  }

  /// The databases and the accounts.
  package var journals: [Journal]
  /// The formats that this program reads.
  package var formats: ClosedRange<Int64>
  /// The running server's write status of databases and of accounts, such as `ok`, `no-space` and `failed`; nil when no
  /// server runs.
  package var health: (databases: String, accounts: String)?
  /// The product that stores the databases.
  package var product: String
  /// True when the running server's program was replaced on the disk since its start.
  package var isReplaced: Bool

  /// Creates a check with these values.
  package init(
    journals: [Journal], formats: ClosedRange<Int64>, health: (databases: String, accounts: String)?, product: String,
    isReplaced: Bool
  ) {
    self.product = product
    (self.journals, self.formats, self.health, self.isReplaced) = (journals, formats, health, isReplaced)
  }

  /// The findings on formats, write status and the running program.
  package var findings: [Finding] { formatFindings + healthFindings }

  private var formatFindings: [Finding] {
    let findings = journals.compactMap { journal -> Finding? in
      guard let format = journal.format else {
        return Finding(
          "format-foreign", .error, "\(journal.path) is not a file of Hearth",
          advice: "move it elsewhere, or restore the original file")
      }
      guard format > formats.upperBound else { return nil }
      return Finding(
        "format-newer", .error,
        "\(journal.path) has format \(format), but this program reads up to \(formats.upperBound)",
        advice: "use the version of hearth that wrote it, or a newer one")
    }
    guard findings.isEmpty, !journals.isEmpty else { return findings }
    return [Finding(ok: "formats", "\(journals.count) files have formats that this program reads")]
  }

  private func finding(_ subject: String, _ state: String) -> Finding {
    switch state {
    case "no-space":
      Finding("write-no-space", .error, "\(subject) cannot be written: the disk is full", advice: "free disk space")
    case "storage-away":
      Finding(
        "write-storage-away", .error, "\(subject) cannot be written: \(product) does not answer",
        advice: "make sure that \(product) runs and can be reached; writes then continue automatically")
    case "disk-fault":
      Finding(
        "write-disk-fault", .error, "\(subject) cannot be written: the disk fails to read, write or sync",
        advice: "check the disk and the system log; writes continue automatically when the disk works")
    default:
      Finding(
        "write-failed", .error, "\(subject) cannot be written since the disk failed: \(state.printable)",
        advice: "check the disk, then restart the server")
    }
  }

  private var healthFindings: [Finding] {
    guard let health else { return [] }
    var findings: [Finding] = []
    for (subject, state) in [("databases", health.databases), ("accounts", health.accounts)]
    where !["ok", "low-space"].contains(state) {
      findings.append(finding(subject, state))
    }
    if findings.isEmpty {
      findings.append(Finding(ok: "server", "the server runs, and its open databases and accounts can be written"))
    }
    if isReplaced {
      findings.append(
        Finding(
          "server-outdated", .notice, "the program file was replaced after the server started",
          advice: "restart the server to use the new program"))
    }
    return findings
  }
}
