/// The options of journals in PostgreSQL.
public struct PostgresOptions: Sendable {
  /// The schema of the tables; created when it is missing. 1 to 63 of `a-z`, `0-9` and `_`, no digit first.
  public var schema: String
  /// The number of connections for appends, 1 to ``PostgresLimits/writersMax``.
  public var writers: Int
  /// The time in seconds that an append tries to find out its outcome, after which it fails with `.inputOutput`.
  public var requestTimeoutSeconds: Double

  /// Creates options; every omitted one has its default.
  public init(
    schema: String = "hearth", writers: Int = 2,
    requestTimeoutSeconds: Double = Double(PostgresLimits.requestTimeoutSeconds)
  ) {
    (self.schema, self.writers, self.requestTimeoutSeconds) = (schema, writers, requestTimeoutSeconds)
  }

  /// True when the schema's name needs no quoting.
  var hasPlainSchema: Bool {
    let bytes = Array(schema.utf8)
    guard let first = bytes.first, bytes.count <= 63, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
  }
}
