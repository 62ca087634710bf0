import HearthTree

/// What administrators have limited for one database. What is not there is not limited.
package struct DatabaseQuotas: Sendable, Equatable {
  private var values: [QuotaKind: Int] = [:]

  /// Nothing is limited.
  package static let none = DatabaseQuotas()

  /// The limit; nil where there is none.
  package subscript(kind: QuotaKind) -> Int? { values[kind] }

  /// Those that are set, in the order of ``QuotaKind``.
  package var all: [(kind: QuotaKind, max: Int)] {
    QuotaKind.allCases.compactMap { kind in values[kind].map { (kind, $0) } }
  }

  /// True when how much is asked in a second is limited.
  var limitsRates: Bool {
    values[.requestsPerSecond] != nil || values[.clientRequestsPerSecond] != nil || values[.bytesPerSecond] != nil
      || values[.clientBytesPerSecond] != nil
  }

  init() {}

  /// As it is shown and kept: `{"connections":100}`.
  package var json: JSON { .object(all.map { .init($0.kind.rawValue, .int(Int64($0.max))) }) }

  /// nil for what ``json`` does not give.
  init?(stored json: JSON) {
    guard (try? change(json)) != nil else { return nil }
  }

  /// Takes over what an administrator says: a number limits, `null` lifts; what is not named stays.
  ///
  /// - Throws: what is wrong with it. Nothing is changed then.
  mutating func change(_ json: JSON) throws(RESTFailure) {
    guard let members = json.members else { throw RESTFailure(400, "quotas must be an object") }
    var values = values
    for member in members {
      guard let kind = QuotaKind(rawValue: member.name) else {
        let names = QuotaKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RESTFailure(400, "There is no quota \(member.name.prefix(32)). There are \(names)")
      }
      if member.value == .null {
        values[kind] = nil
        continue
      }
      guard let number = member.value.int, let max = Int(exactly: number), kind.range.contains(max) else {
        throw RESTFailure(
          400,
          "\(kind.rawValue) must be a whole number from \(kind.range.lowerBound) to \(kind.range.upperBound), or null")
      }
      values[kind] = max
    }
    self.values = values
  }
}
