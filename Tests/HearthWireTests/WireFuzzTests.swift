import HearthTree
import HearthWire
import RandomTestKit
import Testing

@Suite struct WireFuzzTests {
  private let sound = [
    #"{"t":"d","d":{"r":1,"a":"s","b":{"c":{"sdk.js.9-5-0":1}}}}"#,
    #"{"t":"d","d":{"r":2,"a":"q","b":{"p":"/a/b","h":"x=","q":{"sp":null,"l":5,"vf":"r"},"t":1}}}"#,
    #"{"t":"d","d":{"r":2,"a":"q","b":{"p":"a","h":"x=","ch":{"hs":["y=",""],"ps":["b/.priority"]}}}}"#,
    #"{"t":"d","d":{"r":3,"a":"p","b":{"p":"/a","d":{"x":[1,null,"é🐵"],".priority":1.5},"h":""}}}"#,
    #"{"d":{"b":{"d":{"x/y":5,"z":{".sv":{"increment":1}},"w/.priority":null},"p":"q"},"a":"m","r":0},"t":"d"}"#,
    #"{"t":"d","d":{"r":4,"a":"gauth","b":{"cred":"owner","authvar":{"uid":"\u0041\ud83d\udc35"}}}}"#,
    #"{"t":"c","d":{"t":"p","d":{}}}"#, #"{"t":"d","d":{"r":5,"a":"g","b":{"p":"/","q":{}}}}"#,
    #"{"t":"d","d":{"r":6,"a":"p","b":{"d":{".value":true,".priority":"x"},"p":"a/.priority"}}}"#,
  ]

  private func mutate(_ text: String, _ numbers: inout SeededRandom) -> [UInt8] {
    var bytes = Array(text.utf8)
    let pieces = [
      #"{"#, "}", "[", "]", #"""#, ":", ",", "null", "1e400", #"\ud800"#, #"".sv""#, #""d":1,"#, "-", "\u{0}",
    ]
    for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      switch Int.random(in: 0..<5, using: &numbers) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &numbers)))
      case 2: bytes.insert(contentsOf: Array((pieces.randomElement(using: &numbers) ?? "").utf8), at: place)
      case 3: bytes.removeLast(bytes.count - place)
      default:
        let end = min(bytes.count, place + 12)
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &numbers))
      }
    }
    return bytes
  }

  @Test func `any text is a message, a refusal or malformed, and the same every time`() {
    for seed in 0..<4000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let text = mutate(sound.randomElement(using: &numbers) ?? "", &numbers)
      let (first, second) = (try? ClientMessage.decode(text), try? ClientMessage.decode(text))
      if (first == nil) != (second == nil) { Issue.record("seed \(seed)") }
      guard case .request(let request)? = first else { continue }
      switch request.action {
      case .put(let put): check(put.write, seed)
      case .onDisconnectPut(let write): check(write, seed)
      case .merge(let merge), .onDisconnectMerge(let merge): for write in merge.writes { check(write, seed) }
      default: break
      }
    }
  }

  private func check(_ write: Write, _ seed: UInt64) {
    if write.location.path.count + write.value.depth > DataLimits.depthMax { Issue.record("seed \(seed), too deep") }
    if write.location.path.keys.contains(where: { $0.problem != nil }) { Issue.record("seed \(seed), a bad key") }
    var message: [UInt8] = []
    ServerMessage.push(.put(path: write.location.path, node: write.value.node)).encode(into: &message)
    message.withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      if (try? reader.skipValue()) == nil || (try? reader.end()) == nil { Issue.record("seed \(seed), an encoding") }
    }
  }

  @Test func `any texts leave the assembler within its limits`() {
    var limits = WireLimits()
    limits.messageBytesMax = 40
    limits.segmentsMax = 20
    let texts = ["0", "1", "2", "9", "20", "21", "999999", "", "{}", "abc", String(repeating: "x", count: 30)]
    for seed in 0..<600 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      var assembler = SegmentAssembler(limits: limits)
      for _ in 0..<30 {
        let text = Array((texts.randomElement(using: &numbers) ?? "").utf8)
        guard let outcome = try? text.withUnsafeBytes({ try assembler.receive($0) }) else { break }
        if case .assembled(let message) = outcome, message.count > 40 { Issue.record("seed \(seed)") }
        if (outcome == .incomplete) != assembler.isIncomplete { Issue.record("seed \(seed), \(outcome)") }
      }
    }
  }
}
