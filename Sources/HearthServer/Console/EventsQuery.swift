import HearthDatabase
import HearthTree

/// The parameters of `api/events`.
struct EventsQuery {
  /// Places whose commits are counted; nil when none are.
  var paths: [Path]?
  /// Whether refusals are told.
  var wantsDenials = false
  /// The last refusal that the page has; nil when it has none.
  var afterDenial: UInt64?

  /// - Throws: a sentence about the parameter that cannot be.
  init(_ parameters: [String: String]) throws(ConsoleFailure) {
    for topic in (parameters["topics"] ?? "").split(separator: ",") {
      switch topic {
      case "pulse": paths = try Self.paths(parameters["paths"])
      case "denials": wantsDenials = true
      default: throw ConsoleFailure(.badRequest, "topics are pulse and denials, separated by commas.")
      }
    }
    guard paths != nil || wantsDenials else { throw ConsoleFailure(.badRequest, "Name a topic: pulse or denials.") }
    guard let after = parameters["after"] else { return }
    guard let id = UInt64(after) else { throw ConsoleFailure(.badRequest, "after is a denial's id.") }
    afterDenial = id
  }

  private static func paths(_ text: String?) throws(ConsoleFailure) -> [Path] {
    let problem = ConsoleFailure(
      .badRequest, "paths is a JSON array of at most \(CommitPulse.pathsMax) paths.")
    guard let text, let array = JSON(parsing: text.utf8)?.array, (1...CommitPulse.pathsMax).contains(array.count) else {
      throw problem
    }
    var paths: [Path] = []
    for element in array {
      guard let path = element.string, let location = try? Location(wire: path), !location.isPriority else {
        throw problem
      }
      paths.append(location.path)
    }
    return paths
  }
}
