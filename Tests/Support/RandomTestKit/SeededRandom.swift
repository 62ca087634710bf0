/// A random number generator with a seed: SplitMix64 (Steele, Lea and Flood, 2014). A test repeats with the same seed
/// on every machine.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator of a seed.
  package init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but not including, `bound`, which must be positive.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns true once in `count` times on average.
  package mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

  /// Returns true with a probability in percent.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// Returns a random element of a list, which must not be empty.
  package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
