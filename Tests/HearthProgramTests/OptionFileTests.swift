import HearthProgram
import Testing

@Suite struct OptionFileTests {
  @Test("names and values are separated by an equals sign; comments, empty lines and spaces are ignored")
  func reads() throws {
    let file = try OptionFile(
      "# head\n\nport = 9000\r\n  sign-in=password,anonymous  \n\t#x\nhost =  ::1 # no comment\nurl=a=b")
    #expect(
      file.options.map { "\($0.line):\($0.column) \($0.name) \($0.value)" } == [
        "3:1 port 9000", "4:3 sign-in password,anonymous", "6:1 host ::1 # no comment", "7:1 url a=b",
      ])
    #expect(try OptionFile("").options.isEmpty)
  }

  @Test(
    "an unknown option is named with its line and column",
    arguments: [
      ("\n port 9000", "2:2: = is missing after the name"), ("port =", "1:1: port has no value"),
      ("= 1", "1:1: an option's name can have"),
      ("--port = 1", "1:1: write an option's name without leading dashes"),
      ("po rt = 1", "1:1: an option's name can have"),
      ("a = 1\nb = 2\na = 3", "3:1: a already occurs in line 1"),
    ])
  func refuses(text: String, beginning: String) throws {
    let problem = try #require(throws: OptionFile.Problem.self) { try OptionFile(text) }
    #expect("\(problem)".hasPrefix(beginning), "\(problem)")
  }
}
