import ArgumentParser
import HearthProgram

/// The option for reading rules files: those of other languages through a plugin, in a program that runs plugins.
package struct RulesPluginOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of a plugin that translates rules files of another language.", valueName: "dir"))
  var rulesPlugin: String?

  /// The plugin's folder; nil uses no plugin, or one of a data folder.
  package var folder: String? { rulesPlugin }

  /// Makes an option to be parsed.
  package init() {}

  /// The text of a rules file; for one in another language, the rules that a plugin generates from it.
  ///
  /// - Parameter dataDirectory: the data folder whose plugins are used when the option names none.
  /// - Throws: `RulesError` for mistakes in the file, ``RulesTranslation/Failure`` when a plugin fails, and
  ///   `TextFile.Failure`.
  package func read(_ path: String, dataDirectory: String? = nil) async throws -> String {
    try await RulesTranslation.read(path, plugin: rulesPlugin, dataDirectory: dataDirectory)
  }
}

/// A translator of rules files in other languages into rules.
package protocol RulesTranslator: Sendable {
  /// The text of a rules file: the rules that a plugin generates from it, or the same text when no plugin is for such
  /// files.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - plugin: the folder of the plugin; nil for one of the data folder.
  ///   - dataDirectory: the data folder; nil for none.
  func rules(of text: String, path: String, plugin: String?, dataDirectory: String?) async throws -> String
}

/// The translator of a program.
package enum RulesTranslation {
  /// The translator; nil in a program that runs no plugins.
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

  /// The reason why a plugin did not translate a file.
  package struct Failure: Error, CustomStringConvertible {
    /// One sentence, with the file and the plugin.
    package var description: String

    /// Makes a failure with this description.
    package init(_ description: String) { self.description = description }
  }
}
