import Foundation
import HearthClusterNode
import HearthCrypto

/// Certificates of a test's nodes, signed by their own authority, like those that `hearth cluster init` makes.
package final class LinkCertificates: Sendable {
  private let folder: String

  /// Creates an authority and certificates.
  ///
  /// - Parameter nodes: The names of the nodes.
  package init(_ nodes: [String]) throws {
    folder = NSTemporaryDirectory() + "hearth-links-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let now = Int64(Date().timeIntervalSince1970)
    let authority = try NodeAuthority(now: now)
    try write(authority.credentials.certificate, "ca.pem")
    for node in nodes {
      let issued = try authority.issue(node, now: now)
      try write(issued.certificate, "\(node).pem")
      try write(issued.key, "\(node).key")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The certificate of a node with the authority that it trusts: this one or another.
  package func identity(_ node: String, trusting other: LinkCertificates? = nil) throws -> LinkIdentity {
    try LinkIdentity(
      certificatePath: path("\(node).pem"), keyPath: path("\(node).key"),
      authorityPath: (other ?? self).path("ca.pem"))
  }

  package func path(_ file: String) -> String { folder + "/" + file }

  private func write(_ bytes: [UInt8], _ file: String) throws {
    try Data(bytes).write(to: URL(filePath: path(file)))
  }
}
