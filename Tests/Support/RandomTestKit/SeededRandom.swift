/// A stream of random numbers that its seed determines: SplitMix64 (Steele, Lea and Flood, 2014). What a test did with a
/// seed, it does again with the same seed, on every machine.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The stream that begins with that seed.
  package init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`, which is above 0.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True once in `count` times.
  package mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

  /// True that many times in a hundred.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of these, of which there is at least one.
  package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
