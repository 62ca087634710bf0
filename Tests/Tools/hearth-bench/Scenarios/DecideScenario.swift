import HearthProgram
import HearthRules
import HearthTree

/// The membership rule, decided in this process: the cost of a rule without sockets and disks.
enum DecideScenario {
  static func run() throws -> BenchResult {
    let rules = try RuleSet.compile(BenchTarget.rules)
    var members = Node.empty
    for index in 0..<1000 {
      members = members.replacing(Path("members/r\(index % 10)/u\(index)"), with: Node(.bool(true)))
    }
    let auth = JSON.object([.init("uid", .string("u507"))])
    let request = ReadRequest(path: Path("rooms/r7"), root: members, auth: auth, nowMilliseconds: 1_700_000_000_000)
    let count = 500_000
    var allowed = 0
    let started = WallClock.monotonicNanoseconds
    for _ in 0..<count where rules.decideRead(request).isAllowed { allowed += 1 }
    let nanoseconds = Double(WallClock.monotonicNanoseconds - started) / Double(count)
    return BenchResult(
      name: "rule decision", setup: "membership rule, 1,000 members", rate: 1e9 / nanoseconds, unit: "decisions/s",
      note: "\(Int(nanoseconds)) ns each" + (allowed == count ? "" : ", NOT ALL ALLOWED"))
  }
}
