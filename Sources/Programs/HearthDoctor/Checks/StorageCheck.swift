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
          "format-foreign", .error, "\(journal.path) is not a file of this program",
          advice: "put it elsewhere, or restore the file that belongs there")
      }
      guard format > formats.upperBound else { return nil }
      return Finding(
        "format-newer", .error,
        "\(journal.path) has format \(format), and this program reads up to \(formats.upperBound)",
        advice: "use the version of hearth that wrote it, or a newer one")
    }
    guard findings.isEmpty, !journals.isEmpty else { return findings }
    return [Finding(ok: "formats", "\(journals.count) files have formats that this program reads")]
  }

  private func finding(_ subject: String, _ state: String) -> Finding {
    switch state {
    case "no-space":
      Finding("write-no-space", .error, "\(subject) cannot be written: there is no room", advice: "make room")
    case "storage-away":
      Finding(
        "write-storage-away", .error, "\(subject) cannot be written: \(product) does not answer",
        advice: "see that \(product) runs and can be reached; writing then goes on by itself")
    case "disk-fault":
      Finding(
        "write-disk-fault", .error, "\(subject) cannot be written: the disk refuses to read, write or sync",
        advice: "look at the disk and the system's log; writing goes on by itself when the disk works")
    default:
      Finding(
        "write-failed", .error, "\(subject) cannot be written since the disk failed: \(state.printable)",
        advice: "look at the disk, then start the server again")
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
      findings.append(Finding(ok: "server", "the server runs, and what it has open can be written"))
    }
    if isReplaced {
      findings.append(
        Finding(
          "server-outdated", .notice, "the server's program was replaced since it was started",
          advice: "start it again to have the new one"))
    }
    return findings
  }
}
