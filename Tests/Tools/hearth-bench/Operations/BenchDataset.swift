import HearthProgram
import NIOHTTP1

/// Data for a server: distinct messages in rooms, with a given size in megabytes of JSON.
struct BenchDataset {
  var megabytes: Int

  private static let messageCount = 5_200

  /// Writes the data below `/rooms`, a room of a megabyte at a time.
  func write(to target: BenchTarget) async throws {
    var random = SplitMix(state: 1)
    for room in 0..<megabytes {
      let request = BenchHTTP.Request(
        method: .PUT, path: "/rooms/r\(room).json?print=silent&auth=\(target.adminCredential)",
        body: Self.room(room, &random))
      let answer = try await BenchHTTP.ask(request, of: target)
      guard answer.status == 204 else {
        throw BenchServer.Failure(description: "the server did not take the data: status \(answer.status)")
      }
    }
  }

  /// Returns the JSON of a room, about a megabyte.
  private static func room(_ room: Int, _ random: inout SplitMix) -> String {
    var text = "{"
    text.reserveCapacity(1_100_000)
    for number in 0..<messageCount {
      if number > 0 { text += "," }
      // As compressible as users' messages: words out of a few thousand, beside unique identifiers.
      text += "\"-O\(String(random.next(), radix: 36))\":{\"by\":\"u\(String(random.next(), radix: 36))\",\"at\":"
      text += "\(1_700_000_000_000 + random.next() % 1_000_000_000),\"text\":\""
      for word in 0..<24 { text += (word == 0 ? "" : " ") + String(random.next() % 5_000 &+ 46_656, radix: 36) }
      text += "\"}"
    }
    return text + "}"
  }
}

/// Random numbers that are the same in each run: SplitMix64, a public-domain generator.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
