import Testing

@testable import HearthAccounts

@Suite("Bounded map")
struct RecencyMapTests {
  @Test("The least recently used entry is evicted first")
  func order() {
    var map = RecencyMap<Int, String>(countMax: 3)
    let first = (1...3).map { map.set($0, "\($0)")?.key }
    #expect(first == [nil, nil, nil])
    _ = map.value(1)
    let forgotten = [map.set(4, "4")?.key, map.set(3, "three")?.key, map.set(5, "5")?.key]
    #expect(forgotten == [2, nil, 1])
    #expect(map.last?.key == 4)
    #expect(map.count == 3)
    let values = (1...5).map { map.value($0) }
    #expect(values == [nil, nil, "three", "4", "5"])
  }

  @Test("The map agrees with a list under any operations")
  func model() {
    var state: UInt64 = 7
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    var map = RecencyMap<Int, Int>(countMax: 8)
    // The reference list, most recent first.
    var list: [(key: Int, value: Int)] = []
    for step in 0..<20_000 {
      let key = random(16)
      let place = list.firstIndex { $0.key == key }
      switch random(3) {
      case 0:
        let value = map.value(key)
        #expect(value == place.map { list[$0].value })
        if let place { list.insert(list.remove(at: place), at: 0) }
      case 1:
        let forgotten = map.set(key, step)
        if let place { list.remove(at: place) }
        list.insert((key, step), at: 0)
        let expected = list.count > 8 ? list.removeLast() : nil
        #expect(forgotten?.key == expected?.key && forgotten?.value == expected?.value)
      default:
        let removed = map.remove(key)
        #expect(removed == place.map { list.remove(at: $0).value })
      }
      #expect(map.count == list.count)
      #expect(map.last?.key == list.last?.key)
    }
  }
}
