import HearthTree

/// The watch of promoted rules by the server, with the bounds after which it rolls back to the version before them.
package struct RollbackBounds: Sendable, Equatable {
  /// The end of the watch on the wall clock, so that a restarted server continues it.
  var endMilliseconds: Int64
  /// The version to roll back to.
  var formerID: Int64
  /// The maximum number of requests denied by rules since the promotion; nil for no such bound.
  var denialsMax: Int64?
  /// The maximum number of listeners cancelled by rules, by data or by time; nil for no such bound.
  var cancelledMax: Int64?

  var json: JSON {
    var json: JSON = [
      "endMilliseconds": .int(endMilliseconds), "end": .string(Timestamp.text(milliseconds: endMilliseconds)),
      "former": .int(formerID),
    ]
    if let denialsMax { json["denialsMax"] = .int(denialsMax) }
    if let cancelledMax { json["cancelledMax"] = .int(cancelledMax) }
    return json
  }

  init(endMilliseconds: Int64, formerID: Int64, denialsMax: Int64? = nil, cancelledMax: Int64? = nil) {
    (self.endMilliseconds, self.formerID) = (endMilliseconds, formerID)
    (self.denialsMax, self.cancelledMax) = (denialsMax, cancelledMax)
  }

  init?(_ json: JSON) {
    guard let end = json["endMilliseconds"]?.int, let former = json["former"]?.int else { return nil }
    self.init(
      endMilliseconds: end, formerID: former, denialsMax: json["denialsMax"]?.int,
      cancelledMax: json["cancelledMax"]?.int)
  }
}
