import HearthCrypto
import HearthProgram

/// Verification of ID tokens in this process: of the signature, and from the cache of verified tokens.
enum VerifyScenario {
  /// The number of tokens, less than the cache holds, so that the second pass finds all of them.
  private static let tokenCount = 2_000

  static func run() throws -> [BenchResult] {
    let keys = try SigningKeys.generate(random: .system)
    let minter = IDTokenMinter(projectID: "bench", keys: keys)
    let now = WallClock.nowSeconds
    var tokens: [String] = []
    let mintStarted = WallClock.monotonicNanoseconds
    for index in 0..<tokenCount {
      var subject = IDTokenSubject(uid: "u\(index)", signInProvider: "password", authTimeSeconds: now)
      subject.email = "u\(index)@example.com"
      tokens.append(try minter.mint(subject, issuedAtSeconds: now))
    }
    let minted = Double(tokenCount) / WallClock.seconds(since: mintStarted)
    let verifier = IDTokenVerifier(projectID: "bench", keys: keys)
    let fresh = try rate(tokens, rounds: 1, verifier, now)
    let known = try rate(tokens, rounds: 20, verifier, now)
    return [
      BenchResult(name: "ID tokens minted", setup: "RS256, one thread", rate: minted, unit: "tokens/s"),
      BenchResult(name: "ID tokens verified", setup: "never seen before, one thread", rate: fresh, unit: "tokens/s"),
      BenchResult(name: "ID tokens verified", setup: "from the cache, one thread", rate: known, unit: "tokens/s"),
    ]
  }

  private static func rate(
    _ tokens: [String], rounds: Int, _ verifier: IDTokenVerifier, _ now: Int64
  ) throws -> Double {
    let started = WallClock.monotonicNanoseconds
    for _ in 0..<rounds {
      for token in tokens { _ = try verifier.verify(token, nowSeconds: now) }
    }
    return Double(tokens.count * rounds) / WallClock.seconds(since: started)
  }
}
