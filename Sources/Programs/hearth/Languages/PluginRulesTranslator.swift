import HearthPlugin
import HearthPluginHost
import HearthRules
import HearthRulesCommands

/// The translator of rules files in other languages, through plugins that are started for it.
struct PluginRulesTranslator: RulesTranslator {
  func rules(of text: String, path: String, plugin folder: String?, dataDirectory: String?) async throws -> String {
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    let answer: (rules: RulesSourceAnswer, language: String)
    do {
      guard let plugin = try Self.plugin(for: path, folder: folder, dataDirectory: dataDirectory) else { return text }
      guard text.utf8.count <= RulesLimits.fileBytesMax else {
        throw PluginProblem("a rules file can have at most \(RulesLimits.fileBytesMax) bytes")
      }
      answer = (try await plugin.translate(RulesSource(fileName: name, text: text)), plugin.name)
    } catch {
      throw RulesTranslation.Failure("\(path): \(error)")
    }
    switch answer.rules {
    case .mistakes(let mistakes): throw Self.error(mistakes, in: text)
    case .rules(let rules):
      guard let made = Self.text(rules, of: name, text, answer.language) else {
        throw RulesTranslation.Failure(
          "\(path): \(answer.language) returned a source map that does not match the file and the rules")
      }
      guard made.utf8.count <= RulesLimits.fileBytesMax else {
        throw RulesTranslation.Failure(
          "\(path): the rules from \(answer.language), with the file and the map, have \(made.utf8.count) bytes; "
            + "\(RulesLimits.fileBytesMax) is the maximum")
      }
      return made
    }
  }

  /// Returns the plugin for a file's language; nil when no plugin has it.
  private static func plugin(
    for path: String, folder: String?, dataDirectory: String?
  ) throws(PluginProblem) -> RulesSourcePlugin? {
    if path.hasSuffix(".json") { return nil }
    if let folder {
      let plugin = try RulesSourcePlugin(folder: folder)
      return plugin.takes(path) ? plugin : nil
    }
    return try dataDirectory.flatMap { folder throws(PluginProblem) in
      try RulesSourcePlugin(for: path, dataDirectory: folder)
    }
  }

  /// Returns the rules with their origin; nil when the map does not fit these texts.
  private static func text(_ rules: TranslatedRules, of file: String, _ text: String, _ language: String) -> String? {
    let segments = rules.map.map { part in
      RulesOrigin.Segment(offset: part.offset, line: part.line, column: part.column, width: part.width)
    }
    return RulesOrigin(file: file, language: language, text: text, segments: segments, of: rules.rules)?
      .appended(to: rules.rules)
  }

  private static func error(_ mistakes: [RulesSourceMistake], in text: String) -> RulesError {
    let source = SourceText(text)
    return RulesError(
      mistakes.prefix(RulesLimits.diagnosticsMax).map { mistake in
        RulesError.Diagnostic(
          line: max(1, mistake.line), column: max(1, mistake.column), message: printable(mistake.message),
          help: mistake.help.map(printable), sourceLine: source.line(max(1, mistake.line)))
      })
  }

  private static func printable(_ text: String) -> String { PlainExplanation.of(String(text.prefix(500))) }
}
