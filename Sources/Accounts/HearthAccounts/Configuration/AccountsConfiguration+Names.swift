import HearthCrypto

extension AccountsConfiguration {
  /// The project's number, which clients show and compare but never choose: 12 digits that are derived from the id.
  package var projectNumber: String {
    if isEmulator { return EmulatorControls.projectNumber }
    let digest = Digest(sha256: projectID.utf8).bytes.prefix(8)
    let number = digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return String(100_000_000_000 + number % 900_000_000_000)
  }

  /// ``publicURL`` without a slash at the end.
  package var publicOrigin: String { publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL }

  /// The origins of the sign-in pages; the first is the server's own.
  package var pageOrigins: [String] { [publicOrigin] + pageDomains.map { "https://" + $0 } }

  /// The hosts of ``pageOrigins``, `auth.example.com` or `localhost:9000`.
  package var pageHosts: [String] { pageOrigins.compactMap { $0.split(separator: "/").last.map(String.init) } }
}
