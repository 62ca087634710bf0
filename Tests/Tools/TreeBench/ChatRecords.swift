import HearthTree

/// Records of a chat, the same in every run.
struct ChatRecords {
  let count: Int
  let rooms: Int

  private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
  private static let word = Array("the quick brown fox jumps over a lazy dog while it rains in the city ".utf8)

  private func random(_ i: Int, _ salt: UInt64) -> UInt64 {
    var z = UInt64(truncatingIfNeeded: i) &* 0x9E37_79B9_7F4A_7C15 &+ salt
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private func time(_ i: Int) -> Int64 { 1_700_000_000_000 + Int64(i) * 1700 + Int64(random(i, 1) % 1700) }

  /// Returns a push ID: eight characters of time and twelve random ones.
  private func identifier(_ i: Int) -> Key {
    var (time, bytes) = (Int(time(i)), [UInt8](repeating: 0, count: 20))
    for place in (0..<8).reversed() {
      bytes[place] = Self.alphabet[time % 64]
      time /= 64
    }
    var chance = random(i, 2)
    for place in 8..<20 {
      bytes[place] = Self.alphabet[Int(chance & 63)]
      chance = place == 13 ? random(i, 3) : chance >> 6
    }
    return Key(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns a text of 20 to 59 bytes.
  private func text(_ i: Int) -> Scalar {
    let length = 20 + Int(random(i, 4) % 40)
    let start = Int(random(i, 5) % 8)
    return .string(String(decoding: Self.word[start..<(start + length)], as: UTF8.self))
  }

  /// Returns a user ID of 28 bytes.
  private func user(_ i: Int) -> Scalar { .string("user\(String(random(Int(random(i, 6) % 1000), 7) | 1 << 63))0000") }

  private func room(_ i: Int) -> Int { Int(random(i, 8) % UInt64(rooms)) }

  func path(_ i: Int) -> Path { Path(["rooms", Key("room\(room(i))"), "messages", identifier(i)]) }

  func record(_ i: Int) -> Node {
    var builder = NodeBuilder()
    add(i, to: &builder)
    return builder.finish()
  }

  private func add(_ i: Int, to builder: inout NodeBuilder) {
    builder.open()
    builder.key("text")
    builder.leaf(text(i))
    builder.key("ts")
    builder.leaf(.int(time(i)))
    builder.key("uid")
    builder.leaf(user(i))
    builder.close()
  }

  func build() -> Node {
    var byRoom = [[Int]](repeating: [], count: rooms)
    for i in 0..<count { byRoom[room(i)].append(i) }
    var builder = NodeBuilder()
    builder.open()
    builder.key("rooms")
    builder.open()
    for (room, indexes) in byRoom.enumerated() where !indexes.isEmpty {
      builder.key(Key("room\(room)"))
      builder.open()
      builder.key("messages")
      builder.open()
      for i in indexes {
        builder.key(identifier(i))
        add(i, to: &builder)
      }
      builder.close()
      builder.close()
    }
    builder.close()
    builder.close()
    return builder.finish()
  }

  var shuffledIndexes: [Int] { (0..<count).sorted { random($0, 10) < random($1, 10) } }

  func sample(count: Int) -> [Path] { (0..<count).map { path(Int(random($0, 9) % UInt64(self.count))) } }
}
