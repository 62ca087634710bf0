import HearthTestKit
import HearthTree
import HearthWire
import RandomTestKit
import ServerTestKit
import Testing

@testable import HearthClient

/// Tests with a proxy between client and server that drops, delays and cuts by a seed: no write is lost or reordered,
/// and only plain writes whose answer was lost are executed twice.
@Suite struct FaultTests {
  private static func impatient(_ settings: inout ConnectionSettings) {
    (settings.keepaliveInterval, settings.silenceMax) = (60, 200)
    (settings.openTimeout, settings.helloTimeout) = (2_000, 2_000)
  }

  @Test("plain writes arrive in order despite connection faults", arguments: [false, true])
  func plainWrites(isSecure: Bool) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    try await LiveConnectionTests.with(isSecure: isSecure) { test, scheme in
      let proxy = try await FaultProxy.start(to: test.port, seed: seed, faults: 6, bytesMax: 6_000)
      let witness = try LiveOwner("\(scheme):\(test.port)/?ns=default", trust: LiveConnectionTests.trust)
      let owner = try LiveOwner(
        "\(scheme):\(proxy.port)/?ns=default", credential: try test.token(uid: "alice"),
        trust: LiveConnectionTests.trust,
        configure: Self.impatient)
      defer {
        witness.close()
        owner.close()
      }
      witness.listen("open")
      #expect(await witness.get("open")?.status == .ok)
      let count = 120
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Ten writes at a time, in the order of their numbers.
        for i in 0..<count {
          if i >= 10 { try await group.next() }
          group.addTask {
            #expect(await owner.put("open/k\(1_000 + i)", Node(.int(Int64(i))))?.status == .ok, "seed \(seed)")
          }
          try await Polling.until { owner.hasAsked(i + 1) }
        }
        try await group.waitForAll()
      }
      while proxy.faultedCount < 6 {
        proxy.cutAll()
        #expect(await owner.put("open/last", Node(.bool(true)))?.status == .ok)
      }
      let all = await witness.get("open")?.node ?? .empty
      #expect(
        all.children.filter { $0.key.text.hasPrefix("k") }.map(\.node.scalar) == (0..<count).map { .int(Int64($0)) })
      // The first occurrence of each number: none precedes that of a smaller number.
      var seen: Set<Path> = []
      let first = witness.pushed.map(\.0.path).filter {
        $0.count == 2 && $0.keys[1].text.hasPrefix("k") && seen.insert($0).inserted
      }
      #expect(first == (0..<count).map { Path("open/k\(1_000 + $0)") }, "seed \(seed)")
      #expect(proxy.faultedCount == 6)
      await proxy.stop()
    }
  }

  @Test("conditional writes are never made twice", arguments: [false, true])
  func conditionalWrites(isSecure: Bool) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    try await LiveConnectionTests.with(isSecure: isSecure) { test, scheme in
      let proxy = try await FaultProxy.start(to: test.port, seed: seed, faults: 6, bytesMax: 4_000)
      let owner = try LiveOwner(
        "\(scheme):\(proxy.port)/?ns=default", trust: LiveConnectionTests.trust, configure: Self.impatient)
      defer { owner.close() }
      var (done, unknown) = (0, 0)
      for _ in 0..<Torture.count(sample: 30, full: 60) {
        let node = await owner.get("open/counter")?.node ?? .empty
        let next = (node.scalar?.number).map { Int64($0) + 1 } ?? 1
        switch await owner.put("open/counter", Node(.int(next)), hash: node.simpleHash())?.status {
        case .ok?: done += 1
        case nil: unknown += 1
        case let status?: Issue.record("\(status) with seed \(seed)")
        }
      }
      let final = await owner.get("open/counter")?.node.scalar?.number ?? 0
      #expect(Int(final) >= done && Int(final) <= done + unknown, "seed \(seed)")
      await proxy.stop()
    }
  }
}
