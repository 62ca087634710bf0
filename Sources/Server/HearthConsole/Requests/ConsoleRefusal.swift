/// The reason why a request to the console is refused before its session is looked up.
package enum ConsoleRefusal: String, Error, Sendable, CaseIterable {
  /// The `Host` header is not a single known name of this server.
  case unknownHost = "unknown host"
  /// The request comes from a page of another origin.
  case crossSite = "cross-site"
  /// The header that a foreign page cannot send is missing.
  case noHeader = "no X-Hearth-Console"
  /// The request came unencrypted over a network.
  case inClear = "in clear"

  /// The sentence for the client.
  package var sentence: String {
    switch self {
    case .unknownHost:
      "The console does not answer under this host name. Open the printed address, or start with --console-host NAME."
    case .crossSite: "The request came from a page of another site."
    case .noHeader: "The header X-Hearth-Console is missing."
    case .inClear: "The console needs TLS, or a connection from this machine."
    }
  }
}
