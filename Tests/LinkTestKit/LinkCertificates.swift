import Foundation
import HearthNode

/// Certificates that OpenSSL makes for a test: an authority's, and those of nodes.
package final class LinkCertificates: Sendable {
  private let folder: String

  /// - Parameter nodes: Their names.
  package init(_ nodes: [String]) throws {
    folder = NSTemporaryDirectory() + "hearth-links-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try run(["-subj", "/CN=nodes", "-keyout", "ca.key", "-out", "ca.pem"])
    for node in nodes {
      try run([
        "-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=node", "-addext", "subjectAltName=DNS:\(node)", "-addext",
        "basicConstraints=critical,CA:FALSE", "-keyout", "\(node).key", "-out", "\(node).pem",
      ])
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// What a node shows, and which authority it trusts: this one, or another's.
  package func identity(_ node: String, trusting other: LinkCertificates? = nil) throws -> LinkIdentity {
    try LinkIdentity(
      certificatePath: path("\(node).pem"), keyPath: path("\(node).key"),
      authorityPath: (other ?? self).path("ca.pem"))
  }

  package func path(_ file: String) -> String { folder + "/" + file }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
      + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    let output = Pipe()
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      throw Failure(description: text)
    }
  }

  struct Failure: Error, CustomStringConvertible { var description: String }
}
