import ArgumentParser
import Glibc
import HearthProgram

/// The options for the source of a password, never an argument, which every user of the machine can see.
struct PasswordOption: ParsableArguments {
  @Flag(help: "Read the password from the first line of standard input instead of asking on the terminal.")
  var passwordStdin = false

  /// An option that is accepted only to be refused with an explanation.
  @Option(help: .hidden)
  var password: String?

  func validate() throws {
    guard password == nil else {
      throw ValidationError(
        "Every user of this machine can read a password in the arguments. Omit it to enter it on the terminal, or use "
          + "--password-stdin.")
    }
  }

  /// Returns the password as the typed bytes, without the line's end.
  func read(_ question: String) throws -> String {
    let text = passwordStdin ? readLine(strippingNewline: true) : try ask(question)
    guard let text, !text.isEmpty else { throw ValidationError("The password is empty.") }
    return text
  }

  private func ask(_ question: String) throws -> String {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw ValidationError("There is no terminal to enter the password; use --password-stdin.")
    }
    defer { close(terminal) }
    let prompt = TerminalPrompt(file: terminal)
    let first = try prompt.hiddenLine(question + ": ")
    guard first == (try prompt.hiddenLine("Repeat: ")) else {
      throw ValidationError("The two passwords differ; nothing was changed.")
    }
    return first
  }
}

/// A prompt on a terminal.
struct TerminalPrompt {
  var file: Int32

  /// Reads a line without an echo. The terminal's settings are restored also when this throws.
  func hiddenLine(_ question: String) throws -> String {
    var before = termios()
    guard tcgetattr(file, &before) == 0 else { throw TextFile.Failure("use", "/dev/tty") }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    // An interrupt must not leave a shell without an echo: it comes as a character, and is handled below.
    silent.c_lflag &= ~tcflag_t(ISIG)
    tcsetattr(file, TCSAFLUSH, &silent)
    defer {
      tcsetattr(file, TCSAFLUSH, &before)
      Output.raw([UInt8(ascii: "\n")], to: file)
    }
    Output.raw(Array(question.utf8), to: file)
    return try readLine()
  }

  private func readLine() throws -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(file, &byte, 1)
      if count < 0, errno == EINTR { continue }
      // Control-C: the terminal does not turn it into a signal while its settings are changed.
      if count == 1, byte == 3 { throw ExitCode(130) }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      guard line.count < 8192 else { throw ValidationError("The password is too long.") }
      line.append(byte)
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw ValidationError("The password is not UTF-8 text; check the terminal's encoding.")
    }
    return text
  }
}
