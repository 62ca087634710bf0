import Foundation
import HearthBytes
import HearthCrypto
import HearthSystem
import Testing

@testable import HearthAccounts

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The password pool")
struct PasswordPoolTests {
  private static let slow = PasswordCost(logN: 12, r: 8, p: 1) ?? .developer

  private func pool(
    _ cost: PasswordCost = .developer, slots: Int? = 1, pepper: PasswordHash.Pepper? = nil,
    importKey: @escaping @Sendable (String) -> [UInt8]? = { _ in nil }
  ) -> PasswordPool {
    PasswordPool(cost: cost, slots: slots, random: .system, pepper: pepper, importKey: importKey)
  }

  @Test("A password matches its own hash alone")
  func check() async throws {
    let pool = pool()
    let stored = try await pool.hash("correct horse", for: "192.0.2.1")
    #expect(try await pool.check("correct horse", against: stored, for: "192.0.2.1") == .right(rehashed: nil))
    #expect(try await pool.check("correct horsf", against: stored, for: "192.0.2.1") == .wrong)
    #expect(try await pool.check("correct horse", against: nil, for: "192.0.2.1") == .wrong)
    #expect(try await pool.check("correct horse", against: "damaged", for: "192.0.2.1") == .wrong)
    #expect(try await pool.check("", against: stored, for: "192.0.2.1") == .wrong)
  }

  @Test("Security 9: a cheaper hash is replaced after a correct password, not after a wrong one")
  func rehash() async throws {
    let old = try await pool(.developer).hash("correct horse", for: "")
    let stronger = pool(Self.slow)
    #expect(try await stronger.check("wrong horse", against: old, for: "") == .wrong)
    guard case .right(let rehashed?) = try await stronger.check("correct horse", against: old, for: "") else {
      Issue.record("the old hash was not right, or not made anew")
      return
    }
    #expect(rehashed.hasPrefix("$scrypt$ln=12,r=8,p=1$"))
    #expect(rehashed != old)
    #expect(try await stronger.check("correct horse", against: rehashed, for: "") == .right(rehashed: nil))
    #expect(
      try await pool(.developer).check("correct horse", against: rehashed, for: "") == .right(rehashed: nil),
      "a stronger one stays")
  }

  @Test("Security 9: an imported hash becomes a native one, also through the key of its import")
  func imported() async throws {
    let key = Array("signerkey".utf8)
    let pool = pool { id in id == "batch" ? key : nil }
    let parameters = ImportedHash.Parameters(.hmacSHA256, signerKeyID: "batch")
    let hash = try #require(Base64.decodeLenient("h2lRsK0mGRoOjeKZocuJ6JUYzLCPJ+mykhwBTtqjV5k=".utf8))
    let stored = try ImportedHash.storedString(hash: hash, salt: Array("NaCl".utf8), parameters: parameters)
    guard case .right(let native?) = try await pool.check("pässword1", against: stored, for: "") else {
      Issue.record("the imported hash was not right, or not made anew")
      return
    }
    #expect(native.hasPrefix("$scrypt$"))
    #expect(try await pool.check("pässword1", against: native, for: "") == .right(rehashed: nil))
    #expect(try await self.pool().check("pässword1", against: stored, for: "") == .wrong, "its key is gone")
  }

  @Test("A pepper is added with the next correct password")
  func pepper() async throws {
    let pepper = try #require(PasswordHash.Pepper(id: "p1", key: [UInt8](repeating: 3, count: 32)))
    let plain = try await pool().hash("correct horse", for: "")
    guard case .right(let peppered?) = try await pool(pepper: pepper).check("correct horse", against: plain, for: "")
    else {
      Issue.record("not right, or not made anew")
      return
    }
    #expect(try await pool(pepper: pepper).check("correct horse", against: peppered, for: "") == .right(rehashed: nil))
    #expect(try await pool().check("correct horse", against: peppered, for: "") == .wrong)
  }

  @Test("A developer's hash is accepted on a development server only")
  func floor() async throws {
    let cheap = try await pool(.developer).hash("secret", for: "")
    #expect(try await pool(.small).check("secret", against: cheap, for: "") == .wrong)
  }

  @Test("Without randomness a correct password is accepted, and a new one cannot be set")
  func noRandomness() async throws {
    let old = try await pool(.developer).hash("secret", for: "")
    let broken = PasswordPool(
      cost: Self.slow, slots: 1, random: RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() },
      importKey: { _ in nil })
    #expect(try await broken.check("secret", against: old, for: "") == .right(rehashed: nil))
    await #expect(throws: AccountError(.unavailable)) { try await broken.hash("secret", for: "") }
  }

  @Test("Security 2: empty passwords and those of more than 4,096 bytes are not hashed")
  func bounds() async throws {
    let pool = pool()
    await #expect(throws: AccountError.self) { try await pool.hash("", for: "") }
    await #expect(throws: AccountError.self) { try await pool.hash(String(repeating: "x", count: 4_097), for: "") }
    let longest = String(repeating: "x", count: 4_096)
    let stored = try await pool.hash(longest, for: "")
    #expect(try await pool.check(longest, against: stored, for: "") == .right(rehashed: nil))
  }

  @Test(
    "Security 13: a wrong password takes equally long for an unknown account, a native hash and a cheap imported hash")
  func evenTiming() throws {
    let cost = try #require(PasswordCost(logN: 11, r: 8, p: 1))
    let random = RandomBytes.system
    var firebase = ImportedHash.Parameters(.scrypt, signerKeyID: "k")
    firebase.rounds = 8
    firebase.memoryCost = 9
    var sha = ImportedHash.Parameters(.sha256)
    sha.rounds = 1
    let bytes32 = [UInt8](repeating: 1, count: 32)
    let all: [String?] = [
      nil, try PasswordHash.make("right", cost: cost, random: random),
      try ImportedHash.storedString(hash: bytes32, salt: [1], parameters: firebase),
      try ImportedHash.storedString(hash: bytes32, salt: [1], parameters: sha),
      try PasswordHash.make("right", cost: .developer, random: random), "damaged",
    ]
    var seconds = all.map { _ in [Double]() }
    for _ in 0..<51 {
      for (place, stored) in all.enumerated() {
        let start = Self.threadSeconds()
        let isRight = PasswordHash.verifyWithConstantWork(
          "wrong", against: stored, cost: cost, allowsDeveloperCost: true, signerKey: { _ in bytes32 })
        seconds[place].append(Self.threadSeconds() - start)
        #expect(!isRight)
      }
    }
    // The smallest of many times is the time of the work; a path that skipped it, or did it twice, would differ by a
    // factor.
    let least = seconds.map { $0.min() ?? 0 }
    for (place, time) in least.enumerated() {
      #expect(abs(time / least[0] - 1) < 0.25, "\(all[place] ?? "nobody"): \(time) against \(least[0]) s")
    }
  }

  /// The processor time of this thread, because other tests run at the same time.
  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test("Slots stay within processors and a quarter of the memory")
  func machine() {
    #expect(Machine(processors: 16, memoryBytes: 4 << 30).hashSlots(cost: .standard) == 7)
    #expect(Machine(processors: 16, memoryBytes: 64 << 30).hashSlots(cost: .standard) == 15)
    #expect(Machine(processors: 2, memoryBytes: 64 << 30).hashSlots(cost: .standard) == 1)
    #expect(Machine(processors: 8, memoryBytes: 512 << 20).hashSlots(cost: .standard) == 1)
    #expect(Machine(processors: 8, memoryBytes: 512 << 20).hashSlots(cost: .small) == 7)
    #expect(Machine(processors: 0, memoryBytes: 0).hashSlots(cost: .standard) == 1)
    #expect(pool(slots: nil).slots >= 1)
  }

  @Test("The duration of a hash is measured")
  func measure() { #expect(pool(Self.slow).measure() > 0) }
}
