import HearthEngine
import HearthRules
import HearthTree
import Logging

/// Tells the operator of every refusal and its reason. Clients learn nothing of this.
package struct DenialLog: Sendable {
  let logger: Logger
  let rate: LogRate
  /// What was logged last, to be explained.
  let records = DenialRecords()
  /// Counts all of them.
  let meters: GatewayMeters
  /// Keeps the newest for the console; nil without one.
  package let feed: DenialFeed?

  /// - Parameters:
  ///   - logger: gets a hundred denials a second at most, and how many were left out.
  ///   - meters: count all of them.
  ///   - feed: keeps the newest for people who look at them as they come.
  package init(logger: Logger, meters: GatewayMeters = .none, feed: DenialFeed? = nil) {
    self.init(logger: logger, rate: LogRate(), meters: meters, feed: feed)
  }

  init(logger: Logger, rate: LogRate, meters: GatewayMeters = .none, feed: DenialFeed? = nil) {
    self.feed = feed
    self.logger = logger
    self.rate = rate
    self.meters = meters
  }

  /// - Parameters:
  ///   - isMade: whether there is a database of that name; if not, whoever asks thought it up.
  ///   - requestID: of the request that was refused, or that opened the client's socket; nil when nobody knows it.
  func log(_ denial: Denial, database: String, isMade: Bool = true, requestID: String? = nil) {
    let request = denial.request.map { "-\($0)" } ?? ""
    let trace = String(denial.connection.rawValue, radix: 16) + request
    feed?.add(
      operation: Self.kind(of: denial.operation), cause: Self.cause(of: denial.operation), decision: denial.decision,
      path: denial.path, principal: denial.principal, database: database,
      connection: denial.connection.isClients ? denial.connection : nil, trace: trace)
    meters.denied(
      Self.kind(of: denial.operation), by: denial.rule.map(Self.place), database: isMade ? database : nil)
    log(
      operation: Self.name(of: denial.operation), decision: denial.decision, path: denial.path,
      principal: denial.principal, database: database,
      trace: trace, requestID: requestID)
  }

  /// A read over REST, which does not pass through a database's mailbox.
  ///
  /// - Parameter isMade: whether there is a database of that name; if not, whoever asks thought it up.
  func log(
    _ decision: Decision, path: Path, principal: Principal, database: String, isMade: Bool = true, trace: String,
    requestID: String? = nil
  ) {
    feed?.add(
      operation: "read", cause: nil, decision: decision, path: path, principal: principal, database: database,
      connection: nil, trace: trace)
    meters.denied("read", by: decision.rule.map(Self.place), database: isMade ? database : nil)
    log(
      operation: "read", decision: decision, path: path, principal: principal, database: database, trace: trace,
      requestID: requestID)
  }

  private func log(
    operation: String, decision: Decision?, path: Path, principal: Principal, database: String, trace: String,
    requestID: String?
  ) {
    rate.log(to: logger) {
      var metadata: Logger.Metadata = [
        "database": "\(database)", "operation": "\(operation)", "path": "\(Self.printable(path.description))",
        "uid": "\(Self.printable(principal.uid ?? "-"))", "trace": "\(trace)",
      ]
      if let requestID, !requestID.isEmpty { metadata["request"] = "\(requestID)" }
      if let decision {
        metadata["outcome"] = "\(decision.outcome.rawValue)"
        if let error = decision.error { metadata["error"] = "\(error.message)" }
      }
      if let rule = decision?.rule {
        metadata["rule"] = "\(Self.place(of: rule))"
        metadata["line"] = "\(Self.printable(rule.place))"
      }
      logger.info("denied", metadata: metadata)
      // What is told nowhere has no trace id that anybody could ask for.
      guard logger.logLevel <= .info || feed != nil else { return }
      records.add(
        DenialRecords.Record(
          trace: trace, database: database, operation: operation, path: path, request: decision?.denied?.recorded()))
    }
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
