/// The permissions of a data folder's files and of files that belong to it.
package struct FileCheck: Sendable {
  /// The purpose of a file, as far as it decides its permissions.
  package enum Role: Sendable {
    /// The data folder itself.
    case dataFolder
    /// A folder or file for the server's user only; the server refuses some of them otherwise.
    case secret
    /// The private key of a certificate outside of the folder, often owned by another user and readable by a group.
    case certificateKey
    /// A file that the folder's own mode protects already.
    case data
  }

  /// A file or folder with its permissions.
  package struct Entry: Sendable {
    /// The path in the form for messages.
    package var path: String
    /// The nine permission bits.
    package var mode: UInt32
    /// The owner's user id.
    package var ownerID: UInt32
    /// The purpose of the file.
    package var role: Role

    /// Creates a file with these properties.
    package init(path: String, mode: UInt32, ownerID: UInt32, role: Role) {
      (self.path, self.mode, self.ownerID, self.role) = (path, mode & 0o777, ownerID, role)
    }
  }

  private let entries: [Entry]

  /// - Parameter entries: The files, the data folder first.
  package init(_ entries: [Entry]) { self.entries = entries }

  /// The findings on files that other users can read or that several users own.
  package var findings: [Finding] {
    guard let folder = entries.first else { return [] }
    var findings: [Finding] = []
    let isClosed = folder.mode & 0o077 == 0
    for entry in entries {
      if entry.ownerID != folder.ownerID, entry.role != .certificateKey {
        findings.append(
          Finding(
            "foreign-owner", .error,
            "\(entry.path) belongs to user \(entry.ownerID), but the data folder to user \(folder.ownerID)",
            advice: "chown \(folder.ownerID) '\(entry.path)', unless the owner is intended"))
      }
      findings += finding(entry, isClosed: isClosed).map { [$0] } ?? []
    }
    return findings.isEmpty
      ? [Finding(ok: "files", "\(entries.count) files and folders are accessible only to their owner")] : findings
  }

  private func finding(_ entry: Entry, isClosed: Bool) -> Finding? {
    let others = entry.mode & 0o077
    guard others != 0 else { return nil }
    let mode = "\(entry.path) has the mode \(String(entry.mode, radix: 8))"
    switch entry.role {
    case .dataFolder where others & 0o022 != 0:
      return Finding(
        "folder-writable", .error, "\(mode): other users can create files in it",
        advice: "chmod 700 '\(entry.path)', and check its files")
    case .dataFolder:
      return Finding(
        "folder-open", .warning, "\(mode): other users can list its files", advice: "chmod 700 '\(entry.path)'")
    case .secret:
      return Finding(
        "secret-readable", .error, "\(mode) but it contains secrets",
        advice:
          "chmod \(entry.mode & 0o100 == 0 ? "600" : "700") '\(entry.path)', and replace the secrets if other users "
          + "could reach it"
      )
    case .certificateKey:
      guard entry.mode & 0o007 != 0 else { return nil }
      return Finding(
        "certificate-key-readable", .error, "\(mode): every user of this machine can read the certificate's key",
        advice: "chmod 640 '\(entry.path)', set its group to the server's, and issue a new certificate")
    case .data:
      // The folder's mode already denies access.
      guard !isClosed else { return nil }
      return Finding(
        "data-readable", .warning, "\(mode) but it contains data", advice: "chmod 600 '\(entry.path)'")
    }
  }
}
