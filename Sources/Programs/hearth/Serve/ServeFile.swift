import ArgumentParser
import HearthProgram
import HearthTree

/// The file of `hearth serve --config`, with the command's options as they are declared.
enum ServeFile {
  /// An option as the command declares it.
  private struct Declaration {
    var name: String
    var isFlag: Bool
    var help: String
    var valueName: String
    /// The default value; nil when the option is omitted by default.
    var defaultValue: String?

    init?(_ json: JSON) {
      guard json["shouldDisplay"]?.bool == true, let name = json["preferredName"]?["name"]?.string,
        !ServeFile.notInFile.contains(name)
      else { return nil }
      self.name = name
      isFlag = json["kind"]?.string == "flag"
      valueName = json["valueName"]?.string ?? "value"
      help = json["abstract"]?.string ?? ""
      defaultValue = isFlag ? "false" : json["defaultValue"]?.string
      // Options with a default that depends on the command have it in their text.
      let mark = " (default: "
      if let start = help.firstRange(of: mark), help.hasSuffix(")") {
        defaultValue = String(help[start.upperBound...].dropLast())
        help = String(help[..<start.lowerBound])
      }
      if let values = json["allValues"]?.array?.compactMap(\.string) {
        help += " One of: \(values.joined(separator: ", "))."
      }
    }
  }

  private static let notInFile: Set = ["config", "print-config", "help", "version"]

  private static var declarations: [Declaration] {
    let help = JSON(parsing: Array(ServeCommand._dumpHelp().utf8))
    return (help?["command"]?["arguments"]?.array ?? []).compactMap(Declaration.init)
  }

  /// Returns the arguments of a command line, preceded by those of the file that it names, so that those of the command
  /// line override them.
  ///
  /// - Throws: ``ValidationError`` with the file, the line and the column of the problem.
  static func expanded(_ arguments: [String]) throws -> [String] {
    guard arguments.first == "serve", let path = path(in: arguments) else { return arguments }
    let text = try TextFile.read(path)
    do throws(OptionFile.Problem) {
      return ["serve"] + (try self.arguments(of: OptionFile(text))) + arguments.dropFirst()
    } catch {
      throw ValidationError("\(path):\(error)")
    }
  }

  private static func path(in arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() {
      if argument == "--config" { return index + 1 < arguments.count ? arguments[index + 1] : nil }
      if argument.hasPrefix("--config=") { return String(argument.dropFirst("--config=".count)) }
    }
    return nil
  }

  private static func arguments(of file: OptionFile) throws(OptionFile.Problem) -> [String] {
    let declared = Dictionary(declarations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var arguments: [String] = []
    for option in file.options {
      guard let declaration = declared[option.name] else {
        throw OptionFile.Problem(
          option, "there is no option \(option.name); list the options with: hearth serve --print-config")
      }
      switch (declaration.isFlag, option.value) {
      case (false, _): arguments.append("--\(option.name)=\(option.value)")
      case (true, "true"): arguments.append("--\(option.name)")
      case (true, "false"): continue
      case (true, _): throw OptionFile.Problem(option, "\(option.name) must be true or false")
      }
    }
    do { _ = try ServeCommand.parse(arguments) } catch { throw located(ServeCommand.message(for: error), file) }
    return arguments
  }

  /// Returns the problem of a message with its place: that of the first option of the file that the message names.
  private static func located(_ message: String, _ file: OptionFile) -> OptionFile.Problem {
    let words = message.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    let named = words.compactMap { word in file.options.first { "--\($0.name)" == word } }
    guard let option = named.first else { return OptionFile.Problem(line: 1, column: 1, message) }
    return OptionFile.Problem(option, message)
  }

  /// A file with every option, its help and its default, all of them commented out.
  static var template: String {
    let head = """
      # The options of hearth serve, as name = value. The value is the rest of the line after =. A line that begins
      # with # is a comment: its option has the default. The command line overrides this file.
      """
    let options = declarations.map { option in
      "# \(option.help)\n#\(option.name) = \(option.defaultValue ?? "<\(option.valueName)>")"
    }
    return ([head] + options).joined(separator: "\n\n")
  }
}
