/// A hash map of small numbers by 64-bit keys. The keys are computed by this module, so a multiplication is a
/// sufficient hash; a hash that is secure against chosen keys would cost more than the rest of the search.
struct IntegerMap {
  private var keys: [UInt64] = Array(repeating: 0, count: 64)
  /// The values by slot; negative for a free slot.
  private var values: [Int32] = Array(repeating: -1, count: 64)
  private var count = 0
  private var shift: UInt64 = 58

  /// The number of a key; nil when there is none.
  subscript(key: UInt64) -> Int? {
    let slot = slot(key)
    return values[slot] < 0 ? nil : Int(values[slot])
  }

  /// Inserts a number for a key that has none.
  mutating func insert(_ value: Int, for key: UInt64) {
    if count * 2 >= keys.count { grow() }
    let slot = slot(key)
    keys[slot] = key
    values[slot] = Int32(value)
    count += 1
  }

  private func slot(_ key: UInt64) -> Int {
    var slot = Int((key &* 0x9E37_79B9_7F4A_7C15) >> shift)
    while values[slot] >= 0, keys[slot] != key { slot = (slot + 1) & (keys.count - 1) }
    return slot
  }

  private mutating func grow() {
    let (oldKeys, oldValues) = (keys, values)
    keys = Array(repeating: 0, count: oldKeys.count * 2)
    values = Array(repeating: -1, count: keys.count)
    shift -= 1
    for (key, value) in zip(oldKeys, oldValues) where value >= 0 {
      let slot = slot(key)
      (keys[slot], values[slot]) = (key, value)
    }
  }
}
