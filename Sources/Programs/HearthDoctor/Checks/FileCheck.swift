/// Who may read and write the files of a data folder and what belongs to it.
package struct FileCheck: Sendable {
  /// What a file is for, as far as it decides who may read it.
  package enum Role: Sendable {
    /// The data folder itself.
    case dataFolder
    /// A folder or file that only the server's user may read: it refuses some of them otherwise.
    case secret
    /// The key of the certificate, which lies elsewhere: often another user's, readable by a group.
    case certificateKey
    /// What the folder's own mode protects already.
    case data
  }

  /// One file or folder, as the system describes it.
  package struct Entry: Sendable {
    /// Where it is, as a person names it.
    package var path: String
    /// The nine bits of who may do what.
    package var mode: UInt32
    /// The owner's number.
    package var ownerID: UInt32
    /// What it is for.
    package var role: Role

    /// As the system describes it.
    package init(path: String, mode: UInt32, ownerID: UInt32, role: Role) {
      (self.path, self.mode, self.ownerID, self.role) = (path, mode & 0o777, ownerID, role)
    }
  }

  private let entries: [Entry]

  /// - Parameter entries: the data folder first.
  package init(_ entries: [Entry]) { self.entries = entries }

  /// Nothing may be read by others; and one user owns it all.
  package var findings: [Finding] {
    guard let folder = entries.first else { return [] }
    var findings: [Finding] = []
    let isClosed = folder.mode & 0o077 == 0
    for entry in entries {
      if entry.ownerID != folder.ownerID, entry.role != .certificateKey {
        findings.append(
          Finding(
            "foreign-owner", .error,
            "\(entry.path) belongs to user \(entry.ownerID), and the data folder to user \(folder.ownerID)",
            advice: "chown \(folder.ownerID) '\(entry.path)', if nobody has put it there"))
      }
      findings += finding(entry, isClosed: isClosed).map { [$0] } ?? []
    }
    return findings.isEmpty
      ? [Finding(ok: "files", "\(entries.count) files and folders are their owner's alone")] : findings
  }

  private func finding(_ entry: Entry, isClosed: Bool) -> Finding? {
    let others = entry.mode & 0o077
    guard others != 0 else { return nil }
    let mode = "\(entry.path) has the mode \(String(entry.mode, radix: 8))"
    switch entry.role {
    case .dataFolder where others & 0o022 != 0:
      return Finding(
        "folder-writable", .error, "\(mode): others can put files of theirs into it",
        advice: "chmod 700 '\(entry.path)', and look at what is in it")
    case .dataFolder:
      return Finding(
        "folder-open", .warning, "\(mode): others can see what is in it", advice: "chmod 700 '\(entry.path)'")
    case .secret:
      return Finding(
        "secret-readable", .error, "\(mode) and holds secrets",
        advice:
          "chmod \(entry.mode & 0o100 == 0 ? "600" : "700") '\(entry.path)', and replace the secrets if others had a way to it"
      )
    case .certificateKey:
      guard entry.mode & 0o007 != 0 else { return nil }
      return Finding(
        "certificate-key-readable", .error, "\(mode): everybody can read the certificate's key",
        advice: "chmod 640 '\(entry.path)', give it to the server's group, and have the certificate made anew")
    case .data:
      // Nobody comes past the folder.
      guard !isClosed else { return nil }
      return Finding(
        "data-readable", .warning, "\(mode) and holds data", advice: "chmod 600 '\(entry.path)'")
    }
  }
}
