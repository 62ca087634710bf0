import RandomTestKit
import Testing

@testable import HearthCrypto

@Suite("Imported password hashes")
struct PasswordImportTests {
  private typealias Code = ImportedHashError.Code

  private func refusal(
    _ hash: [UInt8], salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], _ parameters: ImportedHash.Parameters
  ) -> ImportedHashError.Code? {
    do {
      _ = try ImportedHash.storedString(hash: hash, salt: salt, parameters: parameters)
      return nil
    } catch {
      #expect(!error.message.isEmpty)
      return error.code
    }
  }

  private func parameters(
    _ algorithm: ImportedHash.Algorithm, _ change: (inout ImportedHash.Parameters) -> Void = { _ in }
  ) -> ImportedHash.Parameters {
    var parameters = ImportedHash.Parameters(algorithm)
    change(&parameters)
    return parameters
  }

  private let bytes32 = [UInt8](repeating: 5, count: 32)

  @Test("Unsupported rounds of plain hashes are refused at the import, and not at the user's sign-in")
  func rounds() {
    for algorithm in [ImportedHash.Algorithm.sha1, .sha256, .sha512] {
      let count = algorithm == .sha1 ? 20 : algorithm == .sha256 ? 32 : 64
      let hash = [UInt8](repeating: 1, count: count)
      #expect(refusal(hash, parameters(algorithm) { $0.rounds = 1 }) == nil)
      #expect(refusal(hash, parameters(algorithm) { $0.rounds = 2 }) == .unsupportedRounds)
      #expect(refusal(hash, parameters(algorithm) { $0.rounds = 8_193 }) == .parameterOutOfBounds)
      #expect(refusal(hash, parameters(algorithm) { $0.rounds = 0 }) == .parameterOutOfBounds)
      #expect(refusal(hash, parameters(algorithm)) == .missingParameter)
    }
    let md5 = [UInt8](repeating: 1, count: 16)
    #expect(refusal(md5, parameters(.md5)) == nil)
    #expect(refusal(md5, parameters(.md5) { $0.rounds = 0 }) == nil)
    #expect(refusal(md5, parameters(.md5) { $0.rounds = 1 }) == .unsupportedRounds)
    #expect(refusal(Array("not hexadecimal, but 32 in length".utf8.prefix(32)), parameters(.md5)) == .malformedHash)
  }

  @Test("Parameters are bounded, for any number", arguments: [Int64.min, -1, 0, 1 << 40, .max])
  func bounds(number: Int64) {
    let scrypt = parameters(.scrypt) {
      $0.signerKeyID = "k"
      $0.rounds = 8
      $0.memoryCost = 14
    }
    #expect(refusal(bytes32, scrypt) == nil)
    for change in [\ImportedHash.Parameters.rounds, \.memoryCost] {
      var changed = scrypt
      changed[keyPath: change] = number
      #expect(refusal(bytes32, changed) == .parameterOutOfBounds)
      changed[keyPath: change] = nil
      #expect(refusal(bytes32, changed) == .missingParameter)
    }
    let standard = parameters(.standardScrypt) {
      $0.cpuMemCost = 1024
      $0.blockSize = 8
      $0.parallelization = 1
      $0.dkLen = 32
    }
    #expect(refusal(bytes32, standard) == nil)
    for change in [
      \ImportedHash.Parameters.cpuMemCost, \ImportedHash.Parameters.blockSize, \ImportedHash.Parameters.parallelization,
      \ImportedHash.Parameters.dkLen,
    ] {
      var changed = standard
      changed[keyPath: change] = number
      #expect(refusal(bytes32, changed) == .parameterOutOfBounds)
    }
    for algorithm in [ImportedHash.Algorithm.pbkdfSHA1, .pbkdf2SHA256] {
      #expect(refusal(bytes32, parameters(algorithm) { $0.rounds = number }) == .parameterOutOfBounds)
    }
    var argon2 = ImportedHash.Argon2Parameters(
      hashType: .id, hashLengthBytes: 32, parallelism: 1, iterations: 2, memoryCostKiB: 256)
    #expect(refusal(bytes32, parameters(.argon2) { $0.argon2 = argon2 }) == nil)
    for change in [
      \ImportedHash.Argon2Parameters.hashLengthBytes, \.parallelism, \.iterations, \.memoryCostKiB,
    ] {
      let kept = argon2[keyPath: change]
      argon2[keyPath: change] = number
      #expect(refusal(bytes32, parameters(.argon2) { $0.argon2 = argon2 }) == .parameterOutOfBounds)
      argon2[keyPath: change] = kept
    }
  }

  @Test("Unverifiable hashes are refused")
  func malformed() {
    #expect(refusal([], parameters(.bcrypt)) == .malformedHash)
    #expect(refusal(Array("*0".utf8), parameters(.bcrypt)) == .malformedHash)
    #expect(refusal(bytes32, parameters(.bcrypt)) == .malformedHash)
    let keyless = parameters(.scrypt) {
      $0.rounds = 8
      $0.memoryCost = 14
    }
    #expect(refusal(bytes32, keyless) == .missingParameter)
    #expect(refusal(bytes32, parameters(.hmacSHA256)) == .missingParameter)
    #expect(refusal(bytes32, parameters(.hmacSHA256) { $0.signerKeyID = "no, not this" }) == .missingParameter)
    #expect(refusal(bytes32, parameters(.hmacSHA512) { $0.signerKeyID = "k" }) == .malformedHash)
    #expect(refusal(bytes32, parameters(.sha512) { $0.rounds = 1 }) == .malformedHash)
    #expect(refusal(bytes32, parameters(.argon2)) == .missingParameter)
    #expect(refusal([1], parameters(.pbkdf2SHA256) { $0.rounds = 1000 }) == .malformedHash)
    #expect(
      refusal(bytes32, salt: [UInt8](repeating: 0, count: 257), parameters(.pbkdf2SHA256) { $0.rounds = 1000 })
        == .malformedSalt)
    let argon2 = ImportedHash.Argon2Parameters(
      hashType: .id, hashLengthBytes: 32, parallelism: 1, iterations: 2, memoryCostKiB: 256)
    #expect(refusal(bytes32, salt: [1], parameters(.argon2) { $0.argon2 = argon2 }) == .malformedSalt)
    let standard = parameters(.standardScrypt) {
      $0.cpuMemCost = 1000
      $0.blockSize = 8
      $0.parallelization = 1
      $0.dkLen = 32
    }
    #expect(refusal(bytes32, standard) == .parameterOutOfBounds, "N is a power of two")
    #expect(refusal(Array("$scrypt$ln=14".utf8), parameters(.hearth)) == .malformedHash)
    #expect(refusal([0xFF, 0xFE], parameters(.hearth)) == .malformedHash)
  }

  @Test("Imported scrypt with the server's own parameters becomes a native hash, and is not hashed again")
  func strongScrypt() throws {
    let own = try PasswordHash.make("secret", cost: .small, random: .system)
    let parts = try #require(ImportedHash.parts(of: own))
    #expect(parts.parameters.algorithm == .standardScrypt)
    #expect(parts.parameters.cpuMemCost == 1 << 14)
    #expect(parts.salt.count == 16 && parts.hash.count == 32)
    #expect(try ImportedHash.storedString(hash: parts.hash, salt: parts.salt, parameters: parts.parameters) == own)
  }

  @Test("A development hash does not become a production hash by export and import")
  func cheapStaysCheap() throws {
    let own = try PasswordHash.make("secret", cost: .developer, random: .system)
    let parts = try #require(ImportedHash.parts(of: own))
    let back = try ImportedHash.storedString(hash: parts.hash, salt: parts.salt, parameters: parts.parameters)
    #expect(back == own)
    #expect(!PasswordHash.verify("secret", against: back, allowsDeveloperCost: false, signerKey: { _ in nil }))
  }

  @Test("Random parameters cause no crash")
  func randomParameters() {
    var random = SeededRandom(seed: 5)
    let numbers: [Int64?] = [nil, .min, -1, 0, 1, 2, 7, 8, 14, 16, 17, 32, 64, 1024, 1 << 17, 120_000, .max]
    for _ in 0..<5_000 {
      guard let algorithm = ImportedHash.Algorithm.allCases.randomElement(using: &random) else { continue }
      func number() -> Int64? { numbers.randomElement(using: &random) ?? nil }
      func bytes() -> [UInt8] {
        [UInt8](repeating: 65, count: [0, 1, 8, 16, 20, 32, 60, 64, 300].randomElement(using: &random) ?? 0)
      }
      let parameters = parameters(algorithm) {
        $0.signerKeyID = [nil, "", "k", "k,k"].randomElement(using: &random) ?? nil
        $0.saltSeparator = bytes()
        $0.rounds = number()
        $0.memoryCost = number()
        $0.cpuMemCost = number()
        $0.parallelization = number()
        $0.blockSize = number()
        $0.dkLen = number()
        $0.argon2 = ImportedHash.Argon2Parameters(
          hashType: .d, hashLengthBytes: number() ?? 4, parallelism: number() ?? 1, iterations: number() ?? 1,
          memoryCostKiB: number() ?? 8)
      }
      if let text = try? ImportedHash.storedString(hash: bytes(), salt: bytes(), parameters: parameters) {
        #expect(StoredHash(parsing: text) != nil, "\(text)")
      }
    }
  }
}
