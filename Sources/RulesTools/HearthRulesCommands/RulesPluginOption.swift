import ArgumentParser
import HearthProgram

/// How commands read rules files: those of other languages through a plugin, in a program that runs plugins.
package struct RulesPluginOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Turns rules files of another language into rules: a plugin's folder.", valueName: "dir"))
  var rulesPlugin: String?

  /// The plugin's folder; nil asks no plugin, or one of a data folder.
  package var folder: String? { rulesPlugin }

  /// An option that is still to be parsed.
  package init() {}

  /// The text of a rules file; of one in another language, the rules that a plugin makes of it.
  ///
  /// - Parameter dataDirectory: the data folder whose plugins are asked where the option names none.
  /// - Throws: `RulesError` for mistakes in the file, ``RulesTranslation/Failure`` when a plugin does not do its work,
  ///   and `TextFile.Failure`.
  package func read(_ path: String, dataDirectory: String? = nil) async throws -> String {
    try await RulesTranslation.read(path, plugin: rulesPlugin, dataDirectory: dataDirectory)
  }
}

/// What turns rules files of other languages into rules.
package protocol RulesTranslator: Sendable {
  /// The text of a rules file: what a plugin makes of it, or the same when none is for such files.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - plugin: the folder of the plugin; nil is one of the data folder.
  ///   - dataDirectory: nil is none.
  func rules(of text: String, path: String, plugin: String?, dataDirectory: String?) async throws -> String
}

/// The translator of a program.
package enum RulesTranslation {
  /// Nil in a program that runs no plugins.
  @TaskLocal package static var translator: (any RulesTranslator)?

  /// The text of a rules file, as ``RulesPluginOption/read(_:dataDirectory:)`` gives it.
  package static func read(_ path: String, plugin: String?, dataDirectory: String?) async throws -> String {
    let text = try TextFile.read(path)
    guard let translator else {
      guard plugin == nil else { throw TextFile.Failure("this program runs no plugins; hearth rules does") }
      return text
    }
    return try await translator.rules(of: text, path: path, plugin: plugin, dataDirectory: dataDirectory)
  }

  /// The reason why a plugin did not turn a file into rules.
  package struct Failure: Error, CustomStringConvertible {
    /// One sentence, with the file and the plugin.
    package var description: String

    /// A failure in these words.
    package init(_ description: String) { self.description = description }
  }
}
