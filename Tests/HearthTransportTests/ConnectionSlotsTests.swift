import HearthBytes
import HearthTree
import Testing

@testable import HearthTransport

@Suite struct ConnectionSlotsTests {
  @Test("a network that has reached its limit of connections leaves another network its share")
  func shares() throws {
    let slots = ConnectionSlots(max: ConnectionSlots.max(files: 1_111), proxies: try TrustedProxies(["10.0.0.0/8"]))
    var taken: [FairShareLimit.Claim] = []
    for number in 0..<2_000 { if let claim = slots.take(IPAddress("192.0.2.\(number % 256)")) { taken.append(claim) } }
    #expect(taken.count == 875 && slots.count == 875)
    for number in 0..<9 {
      let claim = slots.take(IPAddress("198.51.\(number).1"))
      #expect(claim != nil)
      if let claim { taken.append(claim) }
    }
    // A proxy has many clients: its connections are counted per client once the client's address is known.
    for _ in 0..<50 {
      let claim = slots.take(IPAddress("10.1.1.1"))
      #expect(claim != nil)
      if let claim { taken.append(claim) }
    }
    for claim in taken { slots.leave(claim) }
    #expect(slots.count == 0 && slots.take(IPAddress("192.0.2.1")) != nil)
  }

  @Test("file descriptors for storage are reserved under any limit")
  func files() {
    for files in [0, 1, 10, 1_024, 1 << 20, .max] {
      let max = ConnectionSlots.max(files: files)
      #expect(max <= files && (files < 10 || max < files))
    }
  }
}
