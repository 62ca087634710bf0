/// The parameters of `api/events`.
struct EventsQuery {
  /// The topics that a page may request.
  private static let known: [any ConsoleTopic.Type] = [CommitsTopic.self, DenialsTopic.self]

  /// The requested topics, each once.
  let topics: [any ConsoleTopic]

  /// - Throws: a sentence about an invalid parameter.
  init(_ parameters: [String: String]) throws(ConsoleFailure) {
    let names = Set((parameters["topics"] ?? "").split(separator: ",").map(String.init))
    let all = Self.known.map { $0.name }
    guard names.isSubset(of: all) else {
      throw ConsoleFailure(.badRequest, "topics must be a comma-separated list of \(all.joined(separator: ", ")).")
    }
    guard !names.isEmpty else {
      throw ConsoleFailure(.badRequest, "The topics parameter is missing: \(all.joined(separator: ", ")).")
    }
    var topics: [any ConsoleTopic] = []
    for topic in Self.known where names.contains(topic.name) { topics.append(try topic.init(parameters)) }
    self.topics = topics
  }
}
