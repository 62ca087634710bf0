import HearthPlugin
import Testing

@Suite struct PasswordPolicyTests {
  private static func policy(_ change: (inout PasswordPolicy) -> Void) -> PasswordPolicy {
    var policy = PasswordPolicy()
    change(&policy)
    return policy
  }

  @Test("Security 1: five characters are too few, with the SDKs' error message; the minimum can be raised")
  func tooShort() {
    let refusal = SignInRefusal(.weakPassword, "Password should be at least 6 characters")
    #expect(PasswordPolicy().refusal(of: "12345") == refusal)
    #expect(PasswordPolicy().refusal(of: "xk4!92") == nil)
    // Counted in Unicode scalars: five monkey emojis are five characters, with any number of bytes.
    #expect(PasswordPolicy().refusal(of: "🐵🐵🐵🐵🐵") == refusal)
    let longer = Self.policy { $0.lengthMin = 8 }.refusal(of: "sevench")
    #expect(longer?.message == "Password should be at least 8 characters")
  }

  @Test("Security 2: passwords of up to 4096 bytes are accepted", arguments: [64, 128, 4_095, 4_096])
  func long(count: Int) {
    #expect(PasswordPolicy().refusal(of: String(repeating: "x", count: count)) == nil)
  }

  @Test(
    "Security 2: 4097 bytes are refused",
    arguments: [String(repeating: "x", count: 4_097), String(repeating: "🐵", count: 1_025)])
  func tooLong(password: String) {
    #expect(PasswordPolicy().refusal(of: password)?.code == .passwordRequirements)
  }

  @Test("Security 4: no character classes are required unless the operator configures them")
  func composition() {
    for password in ["qzjxvk", "QZJXVK", "902817", "------"] {
      #expect(PasswordPolicy().refusal(of: password) == nil)
    }
    let strict = Self.policy {
      ($0.requiresLowercase, $0.requiresUppercase, $0.requiresDigit, $0.requiresOther) = (true, true, true, true)
    }
    let refusal = strict.refusal(of: "------")
    #expect(refusal?.code == .passwordRequirements)
    #expect(
      refusal?.message
        == "Missing password requirements: [Password must contain a lower case character, Password must contain an upper "
        + "case character, Password must contain a numeric character]")
    #expect(strict.refusal(of: "aA1aA1")?.message?.contains("non-alphanumeric") == true)
    #expect(strict.refusal(of: "aA1-aA1-") == nil)
  }

  @Test("No refusal repeats the password")
  func noEcho() {
    let strict = Self.policy { $0.requiresDigit = true }
    for password in ["qwert", "dragonfly", String(repeating: "zq", count: 2_050)] {
      let text = strict.refusal(of: password)?.message ?? ""
      #expect(!text.isEmpty && !text.contains(password))
    }
  }
}
