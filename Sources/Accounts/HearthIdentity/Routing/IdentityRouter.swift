import HearthAccounts
import HearthTree

/// Says which requests are for the accounts, and what each of them wants.
///
/// The service's host names select a set of routes, as the path's first segment or as the value of `Host`; without one,
/// only paths that are plainly of the identity interface are taken.
package enum IdentityRouter {
  /// What was found for a path.
  package struct Match: Sendable {
    /// The rows for the path, in the table's order; at least one.
    var routes: [IdentityRoute]
    /// From the path.
    var project: String?
    /// From the path; nil for the project itself.
    var tenant: String?
    /// The provider configuration of the path; nil when that names none.
    var configuration: String?

    /// Whom the rows are for.
    package enum Audience: Sendable {
      /// Client and admin SDKs, and other programs.
      case programs
      /// People, in their browsers.
      case people
      /// Pages of web apps that look for their project.
      case webApps
    }

    /// Whom it is for.
    package var audience: Audience {
      switch routes.first?.operation {
      case .actionPage, .appLinkPage, .handlerPage, .redirectPage, .handlerFrame, .samlMetadata: .people
      case .webConfiguration: .webApps
      default: .programs
      }
    }

    /// What a request of that method wants, as far as its path says it.
    package func operation(of method: String) -> IdentityOperation {
      (routes.first { $0.takes(method: method) } ?? routes.first)?.operation ?? .unknown
    }

    /// True when people's browsers open it, and what is wrong is told in words for them.
    package var isForPeople: Bool { audience == .people }

    /// The longest body of a request there, in bytes.
    package var bodyBytesMax: Int { routes.map(\.operation.bodyBytesMax).max() ?? IdentityBody.sizeBytesMax }

    init(_ route: IdentityRoute, _ values: [String: String] = [:]) {
      routes = [route]
      project = values["project"]
      tenant = values["tenant"]
      configuration = values["config"]
    }
  }

  /// The first segment of paths that are for people's browsers, whatever they end with.
  private static let reserved = "__"

  /// The rows for a path; nil when it is not for the accounts. Cheap then; asked for every request of the server.
  ///
  /// - Parameters:
  ///   - path: percent-encoded, without the query.
  ///   - host: of `Host`, in lower case, without a port.
  package static func match(path: String, host: String) -> Match? {
    guard mayMatch(path: path, host: host), path.utf8.count <= 2_048, path.utf8.first == UInt8(ascii: "/") else {
      return nil
    }
    var segments: [String] = []
    for piece in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentEncoding.decode(piece) else { return nil }
      segments.append(segment)
    }
    if let first = segments.first, let service = IdentityRoute.Service(host: first) {
      return match(segments.dropFirst(), of: service) ?? Match(.unknown)
    }
    if let service = IdentityRoute.Service(host: host) { return match(segments[...], of: service) ?? Match(.unknown) }
    return path.hasSuffix(".json") && segments.first != reserved ? nil : match(segments[...], of: nil)
  }

  /// A first look that costs next to nothing: data paths seldom begin like ours.
  private static func mayMatch(path: String, host: String) -> Bool {
    if host.hasSuffix(".googleapis.com") || host.hasSuffix(".google.com") { return true }
    let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
    return !path.hasSuffix(".json") || first.contains(UInt8(ascii: ".")) || first.elementsEqual(reserved.utf8)
  }

  /// - Parameter service: whose rows count; nil for all.
  private static func match(_ segments: ArraySlice<String>, of service: IdentityRoute.Service?) -> Match? {
    guard let first = segments.first else { return nil }
    var match: Match?
    for route in (byFirstSegment[first] ?? []) + withoutFirstSegment {
      if let service, !route.services.contains(service) { continue }
      guard let values = route.pattern.match(segments) else { continue }
      if match == nil { match = Match(route, values) } else { match?.routes.append(route) }
    }
    return match
  }

  /// The table, by the literal with which a row's path begins.
  private static let byFirstSegment = Dictionary(
    grouping: IdentityRoute.table.filter { $0.pattern.firstLiteral != nil }, by: { $0.pattern.firstLiteral ?? "" })
  private static let withoutFirstSegment = IdentityRoute.table.filter { $0.pattern.firstLiteral == nil }
}
