import Glibc
import HearthBytes
import Testing

@testable import HearthCrypto

/// Tests of each kind of credential in place of each other, and of the known manipulations of tokens, at every entry
/// point.
@Suite("Credentials at the wrong entry point")
struct CrossUseTests {
  /// The keys in memory: the folder is removed as soon as it has been read.
  private static let ring = try! KeyFolder().ring()  // the folder was made just now
  private static let now = TokenForge.now

  enum CredentialKind: String, CaseIterable, Sendable {
    case legacy, custom, idToken, sessionCookie, refreshToken, assertion, rawSecret, adminToken
  }

  enum EntryPoint: String, CaseIterable, Sendable {
    case database, idTokenField, cookieField, customTokenField, assertionField, legacyVerifier, adminField
  }

  /// Every entry point with the credentials that it accepts.
  private static let accepted: [EntryPoint: Set<CredentialKind>] = [
    .database: [.legacy, .idToken, .rawSecret, .adminToken], .idTokenField: [.idToken],
    .cookieField: [.sessionCookie], .customTokenField: [.custom], .assertionField: [.assertion],
    .legacyVerifier: [.legacy], .adminField: [.adminToken],
  ]

  private static func sample(_ kind: CredentialKind) throws -> String {
    let subject = IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: now)
    switch kind {
    case .legacy:
      return try ring.mintLegacySession(
        uid: "alice", data: [], sessionID: "s", issuedAtSeconds: now, expiresAtSeconds: now + 100)
    case .custom: return try CustomTokenMinter(account: ring.mintingAccount).mint(uid: "alice", issuedAtSeconds: now)
    case .idToken: return try ring.mintIDToken(subject, issuedAtSeconds: now)
    case .sessionCookie:
      let claims = try ring.verifyIDToken(try ring.mintIDToken(subject, issuedAtSeconds: now), nowSeconds: now).claims
      return try ring.mintSessionCookie(claims: claims, issuedAtSeconds: now, lifetimeSeconds: 3_600)
    case .refreshToken: return "hearth_refresh_" + Base64URL.encode([UInt8](repeating: 9, count: 32))
    case .assertion:
      let account = try ring.mintingAccount
      return ServiceForge.assertion(
        ["iss": "\"\(account.email)\""], header: ServiceForge.header(["kid": "\"\(account.keyID)\""]),
        key: KeyFolder.mintingKeys.signing.key)
    case .rawSecret: return ring.legacySecrets.active[0]
    case .adminToken: return ring.snapshot.store.adminToken
    }
  }

  private static func passes(_ credential: String, _ entryPoint: EntryPoint) -> Bool {
    guard let account = try? ring.mintingAccount else { return false }
    switch entryPoint {
    case .database: return (try? ring.verifier.verify(credential, nowSeconds: now)) != nil
    case .idTokenField: return (try? ring.verifyIDToken(credential, nowSeconds: now)) != nil
    case .cookieField: return (try? ring.verifySessionCookie(credential, nowSeconds: now)) != nil
    case .customTokenField:
      return (try? ring.customTokenVerifier(accounts: ServiceForge.accounts).verify(credential, nowSeconds: now)) != nil
    case .assertionField:
      let accounts = ServiceForge.accounts + [(account.email, [account.keyID: account.publicPEM])]
      return (try? AssertionVerifier(audiences: []).verify(credential, accounts: accounts, nowSeconds: now)) != nil
    case .legacyVerifier:
      return (try? LegacyTokenVerifier(secrets: ring.legacySecrets).verify(credential, nowSeconds: now)) != nil
    case .adminField:
      if case .valid = ring.adminTokens.verify(credential, nowSeconds: now) { return true }
      return false
    }
  }

  @Test(
    "Security 28: each kind of credential is accepted at its own entry points and at no other",
    arguments: CredentialKind.allCases)
  func crossUse(kind: CredentialKind) throws {
    let credential = try Self.sample(kind)
    for entryPoint in EntryPoint.allCases {
      let expected = try #require(Self.accepted[entryPoint]).contains(kind)
      #expect(Self.passes(credential, entryPoint) == expected, "\(kind) at \(entryPoint)")
    }
  }

  @Test("Security 28: no unsigned token is accepted, in any spelling of none", arguments: CredentialKind.allCases)
  func unsigned(kind: CredentialKind) throws {
    guard let token = try? TokenReader.read(try Self.sample(kind)) else { return }
    let payload = token.payload.json
    for algorithm in ["none", "None", "NONE", "nOnE", "", " none", "none\\u0000"] {
      for signature in ["", Base64URL.encode(token.signature)] {
        let bent = TokenForge.unsigned(payload, header: #"{"alg":"\#(algorithm)","typ":"JWT"}"#) + signature
        for entryPoint in EntryPoint.allCases { #expect(!Self.passes(bent, entryPoint), "\(kind) at \(entryPoint)") }
      }
    }
    for header in [#"{"typ":"JWT"}"#, #"{"alg":null}"#, #"{"alg":["none"]}"#, #"{"alg":0}"#] {
      for entryPoint in EntryPoint.allCases {
        #expect(!Self.passes(TokenForge.unsigned(payload, header: header), entryPoint))
      }
    }
  }

  @Test("Security 28: no published text serves as an HMAC key", arguments: CredentialKind.allCases)
  func confusion(kind: CredentialKind) throws {
    guard let token = try? TokenReader.read(try Self.sample(kind)) else { return }
    var texts: [String] = []
    for kind in KeyKind.allCases {
      let keys = try Self.ring.snapshot.store.keys(kind)
      texts += Self.ring.certificates(kind).map(\.pem)
      texts += keys.keyIDs.compactMap { keys.publicPEM(keyID: $0) }
      texts.append(String(decoding: Self.ring.jwks(kind), as: UTF8.self))
    }
    texts.append(try Self.ring.mintingAccount.publicPEM)
    for text in texts { texts += [String(text.dropLast()), text + "\n", text.replacing("\n", with: "\r\n")] }
    texts.append("")
    for text in texts {
      let kid = token.header["kid"]?.string ?? ""
      for member in ["", #","kid":"\#(kid)""#] {
        let header = #"{"alg":"HS256","typ":"JWT"\#(member)}"#
        let bent = TokenForge.hs256(token.payload.json, header: header, key: Array(text.utf8))
        for entryPoint in EntryPoint.allCases { #expect(!Self.passes(bent, entryPoint), "\(kind) at \(entryPoint)") }
      }
    }
  }

  @Test(
    "Security 28: a legacy secret signs no modern token",
    arguments: [CredentialKind.idToken, .sessionCookie, .custom, .assertion])
  func secretSigned(kind: CredentialKind) throws {
    let token = try TokenReader.read(try Self.sample(kind))
    let secret = Array(Self.ring.legacySecrets.active[0].utf8)
    let bent = TokenForge.hs256(token.payload.json, key: secret)
    for entryPoint in EntryPoint.allCases { #expect(!Self.passes(bent, entryPoint), "\(kind) at \(entryPoint)") }
    // With the legacy format's own claims it is only a legacy token: it has no `d` and therefore no user.
    let members = (token.payload.members ?? []) + [.init("v", .int(0))]
    let legacy = TokenForge.hs256(ClaimValue.object(members).json, key: secret)
    let credential = try Self.ring.verifier.verify(legacy, nowSeconds: Self.now)
    #expect(credential.kind == .legacyToken && credential.authPayload == nil && !credential.authority.bypassesRules)
    #expect(!Self.passes(legacy, .idTokenField) && !Self.passes(legacy, .customTokenField))
  }

  @Test("Security 28: altered texts and headers are accepted nowhere", arguments: CredentialKind.allCases)
  func bent(kind: CredentialKind) throws {
    let credential = try Self.sample(kind)
    guard let token = try? TokenReader.read(credential) else {
      for text in [
        credential + "A", " " + credential, credential + "\n", credential + "\0", String(credential.dropLast()),
      ] {
        for entryPoint in EntryPoint.allCases { #expect(!Self.passes(text, entryPoint), "\(kind) at \(entryPoint)") }
      }
      return
    }
    let parts = credential.split(separator: ".").map(String.init)
    let (header, payload, signature) = (parts[0], parts[1], parts[2])
    var texts: [String] = [".", ".x", "=", "==", "\n", "\0"].map { credential + $0 }
    texts += [".", " ", "\u{FEFF}"].map { $0 + credential }
    texts += ["\(header)..\(payload).\(signature)", "\(header).\(payload)", "\(header).\(payload)."]
    texts += ["\(header)==.\(payload).\(signature)", "\(header)\n.\(payload).\(signature)"]
    texts.append("\(header).\(payload).\(signature.dropLast(4))")
    // The last letter of a signature of 256 or 32 bytes has unused bits.
    if let last = signature.last, let twin = Self.twin(of: last) { texts.append(credential.dropLast() + String(twin)) }
    for text in texts {
      for entryPoint in EntryPoint.allCases { #expect(!Self.passes(text, entryPoint), "\(kind) at \(entryPoint)") }
    }
    let members: [String] = [
      #""crit":["exp"]"#, #""b64":false"#, #""jwk":{}"#, #""jku":"https://evil.example""#, #""x5c":[]"#,
      #""zip":"DEF""#, #""alg":"none""#,
    ]
    for member in members {
      let header = token.header.json.dropLast() + "," + member + "}"
      let resigned = try Self.resign(kind, header: String(header), payload: token.payload.json)
      for entryPoint in EntryPoint.allCases {
        #expect(!Self.passes(resigned, entryPoint), "\(kind) at \(entryPoint) with \(member)")
      }
    }
    let doubled = token.payload.json.dropLast() + #","sub":"mallory"}"#
    if token.payload["sub"] != nil {
      let resigned = try Self.resign(kind, header: token.header.json, payload: String(doubled))
      for entryPoint in EntryPoint.allCases { #expect(!Self.passes(resigned, entryPoint), "\(kind) at \(entryPoint)") }
    }
  }

  /// Returns another letter with the same significant bits.
  private static func twin(of letter: Character) -> Character? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return alphabet.firstIndex(of: letter).map { alphabet[$0 ^ 1] }
  }

  /// Returns the token with any content and a valid signature, so that only the parser can refuse it.
  private static func resign(_ kind: CredentialKind, header: String, payload: String) throws -> String {
    switch kind {
    case .legacy: TokenForge.hs256(payload, header: header, key: Array(ring.legacySecrets.active[0].utf8))
    case .idToken: TokenForge.rs256(payload, header: header, key: TokenForge.keys.signing.key)
    case .sessionCookie: TokenForge.rs256(payload, header: header, key: TokenForge.otherKeys.signing.key)
    default: TokenForge.rs256(payload, header: header, key: KeyFolder.mintingKeys.signing.key)
    }
  }

  /// The processor time of this thread, which does not depend on other load on the machine.
  private static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test("Security 28: huge texts and texts with many dots are refused at small cost")
  func huge() {
    let texts = [
      String(repeating: "a", count: 1_000_000), String(repeating: ".", count: 100_000),
      String(repeating: "a", count: 500_000) + "." + String(repeating: "b", count: 500_000) + ".c",
    ]
    let begin = Self.threadSeconds
    for text in texts { for entryPoint in EntryPoint.allCases { #expect(!Self.passes(text, entryPoint)) } }
    #expect(Self.threadSeconds - begin < 5)
  }

  @Test("Security 28: tokens of another project or another tenant are accepted nowhere")
  func projects() throws {
    for kind in [CredentialKind.idToken, .sessionCookie] {
      let token = try TokenReader.read(try Self.sample(kind))
      let other = token.payload.json.replacing(KeyFolder.projectID, with: "demo-other")
      let resigned = try Self.resign(kind, header: token.header.json, payload: other)
      let tenant = token.payload.json.replacing(#""sign_in_provider""#, with: #""tenant":"t","sign_in_provider""#)
      let tenanted = try Self.resign(kind, header: token.header.json, payload: tenant)
      for entryPoint in EntryPoint.allCases {
        #expect(!Self.passes(resigned, entryPoint) && !Self.passes(tenanted, entryPoint))
      }
    }
  }
}
