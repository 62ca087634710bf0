import ArgumentParser
import HearthCrypto
import HearthServer

struct TokenInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Tell what a token says and whether this data folder's keys accept it now.",
    discussion: "Ends with 0 when the token is valid and with 1 when it is not.")

  @OptionGroup var data: DataOption

  @Argument(help: "The token; - reads it from standard input.")
  var token: String

  func run() throws {
    let text = token == "-" ? (readLine(strippingNewline: true) ?? "") : token
    if text.utf8.contains(UInt8(ascii: ".")), let parts = try? TokenReader.read(text) {
      print("kind     \(parts.kind)")
      print("header   \(parts.header.json)")
      print("payload  \(parts.payload.json)")
    }
    let keys = try data.openKeys()
    let verifier = CredentialVerifier(keys: keys, projectID: HearthServer.Options.projectIDDefault)
    do {
      let verified = try verifier.verify(text, nowSeconds: WallClock.nowSeconds)
      print("auth     \(verified.authPayload.map(\.json) ?? "null")")
      if verified.isAdministrator { print("rules do not apply to it: it is an administrator's") }
      if let end = verified.expiresAtSeconds { print("expires  in \(max(0, end - WallClock.nowSeconds)) s") }
      print("valid")
    } catch {
      print("not valid: \(error)")
      throw ExitCode.failure
    }
  }
}
