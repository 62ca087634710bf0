extension Attack {
  /// Attacks with writes: large, deep, to many paths, compared, and on disconnect.
  static let writes = [
    Attack(
      name: "writes of 50,000 children",
      load: .messages(inFlight: 2) { client, number in
        .put("/own/\(client.uid)/all", number.isMultiple(of: 2) ? many : more)
      }),
    Attack(
      name: "replacements of 20,000 children, 20 live queries",
      setUp: { client in
        (1...20).map { .listen("/own/\(client.uid)/all", ",\"q\":{\"i\":\".key\",\"ep\":\"y\($0)\"},\"t\":\($0)") }
      },
      load: .messages(inFlight: 2) { client, number in
        .put("/own/\(client.uid)/all", number.isMultiple(of: 2) ? half : otherHalf)
      }),
    Attack(
      name: "writes of 3,000 children, and their removal",
      load: .messages(inFlight: 8) { client, number in
        .put("/own/\(client.uid)/some", number.isMultiple(of: 2) ? few : "null")
      }),
    Attack(
      name: "texts of 8 MB", load: .messages(inFlight: 2) { client, _ in .put("/own/\(client.uid)/text", longText) }),
    Attack(
      name: "writes of 28 levels and 500 leaves",
      load: .messages(inFlight: 16) { client, number in .put("/own/\(client.uid)/d\(number % 100)", deep) }),
    Attack(
      name: "updates of 5,000 deep places",
      load: .messages(inFlight: 2) { client, number in
        AttackMessage("m", "{\"p\":\"/own/\(client.uid)\",\"d\":\(number.isMultiple(of: 2) ? scattered : gathered)}")
      }),
    Attack(
      name: "transactions that compare a large place", needsLargePlace: true,
      load: .messages(inFlight: 2) { client, number in
        number.isMultiple(of: 2)
          ? .put("/large/\(BenchItems.key(client.number))/n", "\(number)")
          : .put("/large", "1", hash: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
      }),
    Attack(
      name: "transactions on one place, never in time",
      load: .messages(inFlight: 64) { _, _ in .put("/hot/counter", "1", hash: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=") }),
    Attack(
      name: "1,000 onDisconnects, and the connection's end",
      load: .messages(inFlight: 256, perConnection: 1_000) { client, number in
        AttackMessage("o", "{\"p\":\"/own/\(client.uid)/left/k\(number % 1_000)\",\"d\":{\".sv\":\"timestamp\"}}")
      }),
    Attack(
      name: "onDisconnects, set and cancelled",
      load: .messages(inFlight: 64) { client, number in
        number.isMultiple(of: 2)
          ? AttackMessage("o", "{\"p\":\"/own/\(client.uid)/left\",\"d\":\(few)}")
          : AttackMessage("oc", "{\"p\":\"/own/\(client.uid)/left\",\"d\":null}")
      }),
  ]

  private static let many = children(50_000, value: 1)
  private static let more = children(50_000, value: 2)
  private static let half = children(20_000, value: 1)
  private static let otherHalf = children(20_000, value: 2)
  private static let few = children(3_000, value: 1)
  private static let longText = "\"" + String(repeating: "x", count: 8 << 20) + "\""

  private static func children(_ count: Int, value: Int) -> String {
    "{" + (0..<count).map { "\"child\($0)\":\(value)" }.joined(separator: ",") + "}"
  }

  private static let deep: String = {
    let leaves = children(500, value: 1)
    return (0..<28).reduce(leaves) { text, level in "{\"level\(level)\":\(text)}" }
  }()

  static let scattered = places(value: "1")
  static let gathered = places(value: "null")

  private static func places(value: String) -> String {
    let above = (0..<20).map { "l\($0)" }.joined(separator: "/")
    return "{" + (0..<5_000).map { "\"p\($0 % 70)/\(above)/q\($0)\":\(value)" }.joined(separator: ",") + "}"
  }

  /// Attacks with small writes whose rules are expensive.
  static let rules = [
    Attack(
      name: "rules, a pattern on 200 KB",
      load: .messages(inFlight: 8) { client, _ in .put("/costly/pattern/\(client.uid)", shortPattern) }),
    Attack(
      name: "rules, a pattern on 8 MB",
      load: .messages(inFlight: 2) { client, _ in .put("/costly/pattern/\(client.uid)", longPattern) }),
    Attack(
      name: "rules, 16 texts of 200 KB joined",
      load: .messages(inFlight: 8) { client, _ in .put("/costly/joined/\(client.uid)", shortPattern) }),
    Attack(
      name: "rules, 16 texts of 8 MB joined",
      load: .messages(inFlight: 2) { client, _ in .put("/costly/joined/\(client.uid)", longPattern) }),
    Attack(
      name: "rules, 16 replacements in 200 KB",
      load: .messages(inFlight: 8) { client, _ in .put("/costly/replaced/\(client.uid)", shortPattern) }),
    Attack(
      name: "rules, walks up 20 levels from 2,000 leaves",
      load: .messages(inFlight: 8) { client, _ in .put("/costly/walk/\(client.uid)", walked) }),
  ]

  private static let shortPattern = "\"" + String(repeating: "ab", count: 100_000) + "\""
  private static let longPattern = "\"" + String(repeating: "ab", count: 4 << 20) + "\""

  private static let walked: String = {
    let leaves = children(2_000, value: 1)
    return (0..<(GriefingData.walkLevels - 2)).reduce(leaves) { text, level in "{\"level\(level)\":\(text)}" }
  }()
}
