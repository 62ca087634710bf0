import HearthTree
import Testing

@testable import HearthServer

@Suite struct IdentityRequestLimiterTests {
  @Test("a network that has reached its limit of concurrent requests leaves another network its share")
  func shares() {
    let load = IdentityRequestLimiter()
    func network(_ third: UInt8, _ last: Int) -> ShareClaimant {
      ShareClaimant(network: NetworkPrefix(addressBytes: [10, 0, third, UInt8(truncatingIfNeeded: last)]))
    }
    var places: [FairShareLimit.Claim] = []
    for number in 0..<5_000 { if let place = load.begin(network(1, number)) { places.append(place) } }
    #expect(places.count == 896 && load.inFlightCount == 896)
    for other in 2...20 {
      let place = load.begin(network(UInt8(other), 1))
      #expect(place != nil)
      if let place { places.append(place) }
    }
    let administrator = load.begin(ShareClaimant(network: network(1, 1).network, isAdministrator: true))
    #expect(administrator != nil)
    for place in places + [administrator].compactMap(\.self) { load.end(place) }
    #expect(load.inFlightCount == 0 && load.begin(network(1, 1)) != nil)
  }
}
