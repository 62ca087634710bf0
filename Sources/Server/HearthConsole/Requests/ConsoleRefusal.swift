/// The reason why a request to the console is refused before anybody looks who sends it.
package enum ConsoleRefusal: String, Error, Sendable, CaseIterable {
  /// `Host` is not one name that leads here.
  case unknownHost = "unknown host"
  /// A page of another origin sends it.
  case crossSite = "cross-site"
  /// The header is missing that a foreign page cannot send.
  case noHeader = "no X-Hearth-Console"
  /// It came in clear over a network.
  case inClear = "in clear"

  /// For whoever asked.
  package var sentence: String {
    switch self {
    case .unknownHost:
      "This server is not known by that name. Ask for the address that it printed, or start it with --console-host NAME."
    case .crossSite: "A page of another site sent this request."
    case .noHeader: "The header X-Hearth-Console is missing."
    case .inClear: "The console is served over TLS, or on this machine."
    }
  }
}
