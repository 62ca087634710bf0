import RandomTestKit
import Testing

@testable import HearthCrypto

@Suite struct PassphraseSealTests {
  @Test func `sealed data opens only with its passphrase and unchanged`() throws {
    let seal = try #require(PassphraseSeal(passphrase: "correct horse battery"))
    let bytes = Array("some keys".utf8)
    let sealed = try seal.seal(bytes)
    #expect(sealed.count == bytes.count + 56)
    #expect(try seal.open(sealed) == bytes)
    #expect(throws: PassphraseSeal.Problem.wrongPassphrase) {
      try PassphraseSeal(passphrase: "incorrect horse battery")?.open(sealed)
    }
    // The bytes of the salt, the nonce, the text and the tag.
    for place in [12, 28, 40, sealed.count - 1] {
      var changed = sealed
      changed[place] ^= 1
      #expect(throws: PassphraseSeal.Problem.wrongPassphrase) { try seal.open(changed) }
    }
    #expect(try seal.seal(bytes) != sealed)
  }

  @Test func `an empty secret is sealed to a non-empty text`() throws {
    let seal = try #require(PassphraseSeal(passphrase: "correct horse battery"))
    #expect(try seal.open(try seal.seal([])).isEmpty)
  }

  @Test func `costs that would need all memory, and invalid bytes, are refused`() throws {
    let seal = try #require(PassphraseSeal(passphrase: "correct horse battery"))
    var sealed = try seal.seal([1, 2, 3])
    sealed[9] = 40
    #expect(throws: PassphraseSeal.Problem.notSealed) { try seal.open(sealed) }
    #expect(throws: PassphraseSeal.Problem.notSealed) { try seal.open([]) }
    #expect(throws: PassphraseSeal.Problem.notSealed) { try seal.open([UInt8](repeating: 0, count: 100)) }
    #expect(PassphraseSeal(passphrase: "short") == nil)
    #expect(!"\(seal)".contains("horse"))
  }
}
