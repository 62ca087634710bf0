import HearthTree

extension TriggerDefinition {
  /// Creates the trigger that Firebase's tools post to `/.settings/functionTriggers.json` for each function of a
  /// database: `{"name","path","event","topic","namespacePattern"}`. The last part of `topic` is the key that
  /// identifies the function in the functions emulator; `namespacePattern` is present for functions of the second
  /// generation.
  ///
  /// - Parameters:
  /// - database: The request's database, which a function of the first generation is registered for.
  /// - host: The functions emulator, `host:port`.
  /// - project: The project's ID.
  /// - Returns: nil for an event that is not about a database.
  /// - Throws: ``TriggerProblem`` for a registration that cannot be served.
  public init?(
    emulator json: JSON, database: String, host: String, project: String
  ) throws(TriggerProblem) {
    let topic = json["topic"]?.string ?? json["name"]?.string ?? ""
    guard let key = topic.split(separator: "/").last.map(String.init), let event = json["event"]?.string,
      let path = json["path"]?.string
    else { throw TriggerProblem("a function trigger needs name, path, event and topic") }
    let legacy = "providers/google.firebase.database/eventTypes/ref."
    let modern = "google.firebase.database.ref.v1."
    let (eventType, form): (TriggerEventType?, EventForm)
    if event.hasPrefix(legacy) {
      (eventType, form) = (TriggerEventType(rawValue: String(event.dropFirst(legacy.count))), .gen1)
    } else if event.hasPrefix(modern) {
      (eventType, form) = (TriggerEventType(cloudEventName: event.dropFirst(modern.count)), .cloudEvent)
    } else {
      return nil
    }
    guard let eventType else { throw TriggerProblem("unknown database event \(event)") }
    let names = json["namespacePattern"]?.string ?? database
    let url =
      "http://\(host)/functions/projects/\(PercentEncoding.encode(project))/triggers/\(PercentEncoding.encode(key))"
    try self.init(
      name: key,
      .writes(databases: try DatabasePattern(names), pattern: try TriggerPattern(path), eventType: eventType),
      to: .url(url), form: form)
    origin = .emulator
    allowsPrivate = true
  }
}
