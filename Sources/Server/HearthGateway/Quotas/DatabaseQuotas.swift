import HearthTree

/// The quotas of one database, set by administrators. An absent quota is no limit.
package struct DatabaseQuotas: Sendable, Equatable {
  private var values: [QuotaKind: Int] = [:]

  /// The quotas of a database without limits.
  package static let none = DatabaseQuotas()

  /// The limit of that kind; nil when there is none.
  package subscript(kind: QuotaKind) -> Int? { values[kind] }

  /// The quotas that are set, in the order of ``QuotaKind``.
  package var all: [(kind: QuotaKind, max: Int)] {
    QuotaKind.allCases.compactMap { kind in values[kind].map { (kind, $0) } }
  }

  /// True when a rate is limited.
  var limitsRates: Bool {
    values[.requestsPerSecond] != nil || values[.clientRequestsPerSecond] != nil || values[.bytesPerSecond] != nil
      || values[.clientBytesPerSecond] != nil
  }

  init() {}

  /// Creates the quotas as JSON for responses and files: `{"connections":100}`.
  package var json: JSON { .object(all.map { .init($0.kind.rawValue, .int(Int64($0.max))) }) }

  /// Reads stored quotas; nil for a value that ``json`` does not have.
  init?(stored json: JSON) {
    guard (try? change(json)) != nil else { return nil }
  }

  /// Applies an administrator's change: a number sets a quota, `null` removes it; others stay.
  ///
  /// - Throws: the mistake in the change. All quotas stay then.
  mutating func change(_ json: JSON) throws(RESTFailure) {
    guard let members = json.members else { throw RESTFailure(400, "quotas must be an object") }
    var values = values
    for member in members {
      guard let kind = QuotaKind(rawValue: member.name) else {
        let names = QuotaKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RESTFailure(400, "Unknown quota \(member.name.prefix(32)). The quotas are \(names)")
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
