import HearthConsole
import HearthTree
import HearthWire

/// The parameters of `api/outline`.
enum OutlineQuery {
  /// Reads the parameters.
  ///
  /// - Throws: a sentence about an invalid parameter.
  static func read(_ parameters: [String: String]) throws(ConsoleFailure) -> (path: Path, page: Outline.Page) {
    var page = Outline.Page()
    let path = try place(parameters["path"] ?? "/", "path")
    switch parameters["order"] ?? "key" {
    case "key": page.order = .key
    case "value": page.order = .value
    case "priority": page.order = .priority
    case "child":
      let child = try place(parameters["child"] ?? "", "child")
      guard !child.isRoot else { throw ConsoleFailure(.badRequest, "child must name the child to sort by.") }
      page.order = .child(child)
    default: throw ConsoleFailure(.badRequest, "order must be key, value, priority or child.")
    }
    if let from = parameters["from"] {
      let key = Key(from)
      guard key.problem == nil else { throw ConsoleFailure(.badRequest, "from must be a key.") }
      page.from = key
    }
    switch parameters["dir"] ?? "asc" {
    case "asc": page.isReversed = false
    case "desc": page.isReversed = true
    default: throw ConsoleFailure(.badRequest, "dir must be asc or desc.")
    }
    if let text = parameters["limit"] {
      guard let limit = Int(text), (1...Outline.limitMax).contains(limit) else {
        throw ConsoleFailure(.badRequest, "limit must be a number from 1 to \(Outline.limitMax).")
      }
      page.limit = limit
    }
    return (path, page)
  }

  private static func place(_ text: String, _ name: String) throws(ConsoleFailure) -> Path {
    guard let location = try? Location(wire: text), !location.isPriority else {
      throw ConsoleFailure(.badRequest, "\(name) must be a path.")
    }
    return location.path
  }
}
