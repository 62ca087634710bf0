import HearthBytes
import HearthTree
import Testing

@testable import HearthTransport

@Suite struct ConnectionPlacesTests {
  @Test("one network with all the connections it can have leaves another network's to it")
  func shares() throws {
    let places = ConnectionPlaces(max: ConnectionPlaces.max(files: 1_111), proxies: try TrustedProxies(["10.0.0.0/8"]))
    var taken: [SharedBound.Claim] = []
    for number in 0..<2_000 { if let claim = places.take(IPAddress("192.0.2.\(number % 256)")) { taken.append(claim) } }
    #expect(taken.count == 875 && places.count == 875)
    for number in 0..<9 {
      let claim = places.take(IPAddress("198.51.\(number).1"))
      #expect(claim != nil)
      if let claim { taken.append(claim) }
    }
    // A proxy has many clients: each counts where more is known of it.
    for _ in 0..<50 {
      let claim = places.take(IPAddress("10.1.1.1"))
      #expect(claim != nil)
      if let claim { taken.append(claim) }
    }
    for claim in taken { places.leave(claim) }
    #expect(places.count == 0 && places.take(IPAddress("192.0.2.1")) != nil)
  }

  @Test("however many files there may be, some are left for what is stored")
  func files() {
    for files in [0, 1, 10, 1_024, 1 << 20, .max] {
      let max = ConnectionPlaces.max(files: files)
      #expect(max <= files && (files < 10 || max < files))
    }
  }
}
