import HearthEngine
import HearthRules
import HearthTree
import Logging

/// A log of every denial and its reason for the operator. Clients see none of it.
package struct DenialLog: Sendable {
  let logger: Logger
  let rate: LogRateLimiter
  /// The last denials that were logged or shown, with their explanations.
  package let records = DenialRecords()
  /// True when requests are kept; they contain written values, and data that rules read.
  package let keepsValues: Bool
  /// The rate limit for evaluating a denial again to make its record: that of the log, for entries of the feed.
  private let shownRate: LogRateLimiter
  /// The counters of all denials.
  let meters: GatewayMeters
  /// The feed for the console; nil without one.
  package let feed: DenialFeed?

  /// - Parameters:
  ///   - logger: gets a hundred denials a second at most, and the number of omitted ones.
  ///   - meters: count all of them.
  ///   - feed: keeps the newest for live views.
  ///   - keepsValues: true to keep requests for explanations.
  package init(logger: Logger, meters: GatewayMeters = .none, feed: DenialFeed? = nil, keepsValues: Bool = true) {
    self.init(logger: logger, rate: LogRateLimiter(), meters: meters, feed: feed, keepsValues: keepsValues)
  }

  init(
    logger: Logger, rate: LogRateLimiter, meters: GatewayMeters = .none, feed: DenialFeed? = nil,
    keepsValues: Bool = true,
    shownRate: LogRateLimiter = LogRateLimiter()
  ) {
    self.feed = feed
    self.keepsValues = keepsValues
    self.shownRate = shownRate
    self.logger = logger
    self.rate = rate
    self.meters = meters
  }

  /// Logs a denial.
  ///
  /// - Parameters:
  ///   - exists: true when the database exists; otherwise the client made its name up.
  ///   - requestID: the id of the request that was denied, or that opened the client's socket; nil when it is not known.
  func log(_ denial: Denial, database: String, exists: Bool = true, requestID: String? = nil) {
    let request = denial.request.map { "-\($0)" } ?? ""
    let kind = Self.kind(of: denial.operation)
    meters.denied(kind, by: denial.rule.map(Self.place), database: exists ? database : nil)
    record(
      Refusal(
        kind: kind, operation: Self.name(of: denial.operation), cause: Self.cause(of: denial.operation),
        decision: denial.decision, path: denial.path, principal: denial.principal, database: database,
        connection: denial.connection.isClients ? denial.connection : nil,
        trace: String(denial.connection.rawValue, radix: 16) + request),
      requestID: requestID)
  }

  /// Logs a denied read over REST, which does not pass through a database's mailbox.
  ///
  /// - Parameter exists: true when the database exists; otherwise the client made its name up.
  func log(
    _ decision: Decision, path: Path, principal: Principal, database: String, exists: Bool = true, trace: String,
    requestID: String? = nil
  ) {
    meters.denied("read", by: decision.rule.map(Self.place), database: exists ? database : nil)
    record(
      Refusal(
        kind: "read", operation: "read", cause: nil, decision: decision, path: path, principal: principal,
        database: database, connection: nil, trace: trace),
      requestID: requestID)
  }

  /// The logged parts of a denial.
  private struct Refusal {
    let kind: String
    let operation: String
    let cause: String?
    let decision: Decision?
    let path: Path
    let principal: Principal
    let database: String
    let connection: ConnectionID?
    let trace: String

    var record: DenialRecords.Record {
      // The data that rules read is in memory since the decision; a record of other data is not kept.
      DenialRecords.Record(
        trace: trace, database: database, operation: operation, path: path,
        request: FaultScope.resident { decision?.denied?.recorded() } ?? nil, hasRules: decision != nil)
    }
  }

  private func record(_ refusal: Refusal, requestID: String?) {
    var record: DenialRecords.Record?
    feed?.add(
      operation: refusal.kind, cause: refusal.cause, decision: refusal.decision, path: refusal.path,
      principal: refusal.principal, database: refusal.database, connection: refusal.connection, trace: refusal.trace,
      record: {
        if keepsValues, shownRate.admits() { record = refusal.record }
        return record
      },
      keep: { records.add($0, ofEntry: $1) })
    rate.log(to: logger) {
      log(refusal, requestID: requestID)
      // A denial that appears in no log or feed has no known trace id to ask for.
      guard keepsValues, logger.logLevel <= .info || feed != nil else { return }
      records.add(record ?? refusal.record)
    }
  }

  private func log(_ refusal: Refusal, requestID: String?) {
    var metadata: Logger.Metadata = [
      "database": "\(refusal.database)", "operation": "\(refusal.operation)",
      "path": "\(Self.printable(refusal.path.description))",
      "uid": "\(Self.printable(refusal.principal.uid ?? "-"))", "trace": "\(refusal.trace)",
    ]
    if let requestID, !requestID.isEmpty { metadata["request"] = "\(requestID)" }
    if let decision = refusal.decision {
      metadata["outcome"] = "\(decision.outcome.rawValue)"
      if let error = decision.error { metadata["error"] = "\(error.message)" }
    }
    if let rule = refusal.decision?.rule {
      metadata["rule"] = "\(Self.place(of: rule))"
      metadata["line"] = "\(Self.printable(rule.place))"
    }
    logger.info("denied", metadata: metadata)
  }

  /// Returns the explanation for a client with a debugging credential; others get none. It has no details that would
  /// need data that is not in memory.
  static func explanation(of denial: Denial) -> Explanation? {
    guard let decision = denial.decision else { return nil }
    let explained = FaultScope.resident { decision.denied?.explained() } ?? nil
    return Explanation(operation: name(of: denial.operation), path: denial.path, decision: explained ?? decision)
  }

  private static func place(of rule: RuleReference) -> String { ".\(rule.kind.rawValue) at \(rule.pathTemplate)" }

  /// Returns the operation as one of few words, for counters.
  private static func kind(of operation: Denial.Operation) -> String {
    if case .cancellation = operation { return "cancellation" }
    return name(of: operation)
  }

  /// Returns the cause of a cancelled listen; nil for other operations.
  private static func cause(of operation: Denial.Operation) -> String? {
    if case .cancellation(let cause) = operation { cause.name } else { nil }
  }

  private static func name(of operation: Denial.Operation) -> String {
    switch operation {
    case .listen: "listen"
    case .get: "get"
    case .put: "put"
    case .merge: "merge"
    case .compare: "compare before a write"
    case .deployRules: "deploy rules"
    case .onDisconnect: "on disconnect"
    case .transact: "transact"
    case .cancellation(let cause):
      switch cause {
      case .data(let position): "listen cancelled by data, commit \(position)"
      case .rules(let position): "listen cancelled by rules, commit \(position)"
      case .identity: "listen cancelled by a change of identity"
      case .expiry: "listen cancelled by the end of the credential"
      case .revocation: "listen cancelled by a revocation"
      case .clock: "listen cancelled by the time"
      }
    }
  }

  /// Returns the text without unprintable characters: users choose their ids and keys, which must not begin a line of
  /// the log, pass for another of its fields, or control the operator's terminal.
  private static func printable(_ text: String) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(1024) {
      printable.append(isPlain(scalar) ? scalar : "?")
    }
    return String(printable)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      false
    default: scalar != "="
    }
  }
}
