import Foundation
import HearthBytes

/// The address of the account service.
struct AuthEndpoint: Sendable, Equatable {
  /// The base URL; nil for Google's own hosts.
  let base: URL?

  static let google = AuthEndpoint(base: nil)

  /// Creates the address of a self-hosted server, with all services below one URL.
  init(base: URL?) { self.base = base }

  /// - Parameter url: `https://host` or `https://host:port`. Plain `http` is accepted for this machine only, because
  ///   passwords and tokens are sent there.
  init(server url: URL) throws {
    guard let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty, url.query == nil else {
      throw AuthErrorCode.internalError.error(
        "\(url) is no server's address; it looks like https://hearth.example.com.")
    }
    guard scheme == "https" || (scheme == "http" && IPAddress.isLoopback(host: host)) else {
      throw AuthErrorCode.internalError.error(
        "\(url) must begin with https: passwords and tokens go there. http is for servers on this machine.")
    }
    base = url
  }

  /// Creates the address of an emulator, without TLS.
  init?(emulatorHost host: String, port: Int) {
    guard (1...65_535).contains(port) else { return nil }
    var parts = URLComponents()
    parts.scheme = "http"
    parts.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    parts.port = port
    guard let url = parts.url, url.host != nil else { return nil }
    base = url
  }

  /// The name under which sessions of this service are stored.
  var name: String { base?.absoluteString ?? "google" }

  /// - Parameters:
  ///   - operation: `accounts:signUp`
  ///   - version: The version of the API, `v1` or `v2`.
  func toolkitURL(_ operation: String, version: String = "v1", key: String) -> URL {
    url("identitytoolkit.googleapis.com", version, operation, key)
  }

  func tokenURL(key: String) -> URL { url("securetoken.googleapis.com", "v1", "token", key) }

  private func url(_ service: String, _ version: String, _ operation: String, _ key: String) -> URL {
    let root = base.map { $0.appendingPathComponent(service) } ?? URL(string: "https://" + service)
    var parts = root.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) } ?? URLComponents()
    parts.path += (parts.path.hasSuffix("/") ? "" : "/") + version + "/" + operation
    parts.queryItems = [URLQueryItem(name: "key", value: key)]
    // The name of a service is a valid host, so the URL exists.
    return parts.url ?? URL(fileURLWithPath: "/")
  }
}
