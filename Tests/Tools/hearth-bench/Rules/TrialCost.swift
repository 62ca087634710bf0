import HearthEngine
import HearthProgram
import HearthRules
import HearthTree
import HearthTrial

/// The cost of a trial of staged rules, in nanoseconds a decision: in the engine, where clients wait for it, and in the
/// judge, which runs in the background. The load is reads of a room with members, a thousand in a batch.
struct TrialCost {
  /// The engine without a consumer of decisions.
  private(set) var plain = 0.0
  /// The engine while decisions are counted.
  private(set) var counted = 0.0
  /// The engine with a trial, which queues decisions.
  private(set) var handedOver = 0.0
  /// The judge with staged rules of the same meaning in another form.
  private(set) var judged = 0.0
  /// The judge with unchanged rules.
  private(set) var skipped = 0.0

  private static let rule = "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()"

  private static func file(_ rule: String) throws -> RuleSet {
    try RuleSet.compile(#"{"rules":{"rooms":{"$room":{".read":"\#(rule)"}}}}"#)
  }

  init(rounds: Int, nanoseconds: Int64) throws {
    let rules = try Self.file(Self.rule)
    var root = Node.empty
    for user in 0..<1_000 {
      root = root.replacing(Path("members/r\(user % 10)/u\(user)"), with: Node(.bool(true)))
    }
    let commands = (0..<1_000).map { user in
      Command(
        connection: ConnectionID(rawValue: 1), request: 1,
        principal: Principal(auth: .object([.init("uid", .string("u\(user)"))])),
        action: .get(Path("rooms/r\(user % 10)")))
    }
    let state = DatabaseState(root: root, rules: rules, position: 0)
    var others = TrialJudge(of: try Self.file("(\(Self.rule)) && auth != null"))
    var same = TrialJudge(of: try Self.file(Self.rule))
    var figures = [[Double]](repeating: [], count: 5)
    for _ in 0..<rounds {
      for (index, detail) in [RecordingDetail?.none, .counts, .cases].enumerated() {
        var engine = Engine(state: state)
        engine.recordDecisions(detail)
        let cost = Self.cost(commands.count, nanoseconds) { queue in
          let batch = engine.decide(commands[...], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
          if let decided = batch.decided { queue.append(decided) }
        }
        figures[index].append(cost)
      }
      var engine = Engine(state: state)
      engine.recordDecisions(.cases)
      let batch = engine.decide(commands[...], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
      let cases = batch.decided?.cases ?? []
      var tally = TrialTally(startedMilliseconds: 0)
      figures[3].append(
        Self.cost(cases.count, nanoseconds) { _ in for one in cases { others.judge(one, into: &tally) } })
      figures[4].append(Self.cost(cases.count, nanoseconds) { _ in for one in cases { same.judge(one, into: &tally) } })
    }
    let medians = figures.map { Median.of($0) ?? 0 }
    (plain, counted, handedOver, judged, skipped) = (medians[0], medians[1], medians[2], medians[3], medians[4])
  }

  /// Returns the nanoseconds for one of `count` decisions in the fastest batch, which other processes disturbed
  /// least. The queue is emptied between batches, outside the measurement.
  private static func cost(_ count: Int, _ nanoseconds: Int64, _ body: (inout TrialQueue) -> Void) -> Double {
    var (fastest, elapsed) = (Int64.max, Int64(0))
    repeat {
      var queue = TrialQueue(limits: TrialLimits())
      let started = WallClock.monotonicNanoseconds
      body(&queue)
      let duration = WallClock.monotonicNanoseconds - started
      (fastest, elapsed) = (min(fastest, duration), elapsed + duration)
    } while elapsed < nanoseconds
    return Double(fastest) / Double(max(1, count))
  }

  var text: String {
    func figure(_ value: Double) -> String { NumberFormat.grouped(value) }
    return """
      nanoseconds a decision with staged rules on trial
      in the engine: \(figure(plain)) without a trial, \(figure(counted)) counting, \(figure(handedOver)) handing over
      on the side: \(figure(judged)) judged, \(figure(skipped)) where the rules are the same
      """
  }
}
