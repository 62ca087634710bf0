import HearthTree

/// For how long the server watches rules that were promoted, and what makes it go back to the version before them.
package struct RollbackBounds: Sendable, Equatable {
  /// On the wall clock, so that a server that is started again goes on watching.
  var endMilliseconds: Int64
  /// The version to go back to.
  var formerID: Int64
  /// More requests denied by rules than this, from the promotion on, are too many; nil for no such bound.
  var denialsMax: Int64?
  /// More listeners cancelled by rules, by data or by the time than this are too many; nil for no such bound.
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
