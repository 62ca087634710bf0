import HearthEngine
import HearthRules
import HearthTree
import Logging

/// Tells the operator of every refusal and its reason. Clients learn nothing of this.
package struct DenialLog: Sendable {
  let logger: Logger
  let rate: LogRate
  /// What was logged or shown last, to be explained.
  package let records = DenialRecords()
  /// True when requests are kept; they hold what was to be written, and what rules looked at.
  package let keepsValues: Bool
  /// Deciding once more, to see what is to be kept, is for so many entries of the feed a second as are logged.
  private let shownRate: LogRate
  /// Counts all of them.
  let meters: GatewayMeters
  /// Keeps the newest for the console; nil without one.
  package let feed: DenialFeed?

  /// - Parameters:
  ///   - logger: gets a hundred denials a second at most, and how many were left out.
  ///   - meters: count all of them.
  ///   - feed: keeps the newest for people who look at them as they come.
  ///   - keepsValues: whether requests are kept to be explained.
  package init(logger: Logger, meters: GatewayMeters = .none, feed: DenialFeed? = nil, keepsValues: Bool = true) {
    self.init(logger: logger, rate: LogRate(), meters: meters, feed: feed, keepsValues: keepsValues)
  }

  init(
    logger: Logger, rate: LogRate, meters: GatewayMeters = .none, feed: DenialFeed? = nil, keepsValues: Bool = true,
    shownRate: LogRate = LogRate()
  ) {
    self.feed = feed
    self.keepsValues = keepsValues
    self.shownRate = shownRate
    self.logger = logger
    self.rate = rate
    self.meters = meters
  }

  /// - Parameters:
  ///   - isMade: whether there is a database of that name; if not, whoever asks thought it up.
  ///   - requestID: of the request that was refused, or that opened the client's socket; nil when nobody knows it.
  func log(_ denial: Denial, database: String, isMade: Bool = true, requestID: String? = nil) {
    let request = denial.request.map { "-\($0)" } ?? ""
    let kind = Self.kind(of: denial.operation)
    meters.denied(kind, by: denial.rule.map(Self.place), database: isMade ? database : nil)
    tell(
      Refusal(
        kind: kind, operation: Self.name(of: denial.operation), cause: Self.cause(of: denial.operation),
        decision: denial.decision, path: denial.path, principal: denial.principal, database: database,
        connection: denial.connection.isClients ? denial.connection : nil,
        trace: String(denial.connection.rawValue, radix: 16) + request),
      requestID: requestID)
  }

  /// A read over REST, which does not pass through a database's mailbox.
  ///
  /// - Parameter isMade: whether there is a database of that name; if not, whoever asks thought it up.
  func log(
    _ decision: Decision, path: Path, principal: Principal, database: String, isMade: Bool = true, trace: String,
    requestID: String? = nil
  ) {
    meters.denied("read", by: decision.rule.map(Self.place), database: isMade ? database : nil)
    tell(
      Refusal(
        kind: "read", operation: "read", cause: nil, decision: decision, path: path, principal: principal,
        database: database, connection: nil, trace: trace),
      requestID: requestID)
  }

  /// What is told of one.
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
      DenialRecords.Record(
        trace: trace, database: database, operation: operation, path: path, request: decision?.denied?.recorded(),
        hasRules: decision != nil)
    }
  }

  private func tell(_ refusal: Refusal, requestID: String?) {
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
      // What is told nowhere has no trace id that anybody could ask for.
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

  /// What a client with a debugging credential is shown, and nobody else.
  static func explanation(of denial: Denial) -> Explanation? {
    guard let decision = denial.decision else { return nil }
    return Explanation(
      operation: name(of: denial.operation), path: denial.path, decision: decision.denied?.explained() ?? decision)
  }

  private static func place(of rule: RuleReference) -> String { ".\(rule.kind.rawValue) at \(rule.pathTemplate)" }

  /// One of few words, for what is counted.
  private static func kind(of operation: Denial.Operation) -> String {
    if case .cancellation = operation { return "cancellation" }
    return name(of: operation)
  }

  /// What took a listen away.
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

  /// Users choose their ids and keys: nothing of them may begin a line of the log, pass for another of its fields, or
  /// speak to the operator's terminal.
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
