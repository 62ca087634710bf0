import ArgumentParser
import HearthProgram

/// The option for the plugin that translates rules files in other languages, in programs that run plugins.
package struct RulesPluginOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of a plugin that compiles rules files of another language.", valueName: "dir"))
  var rulesPlugin: String?

  /// The plugin's folder; when it is nil, no plugin is used, or one of the data folder.
  package var folder: String? { rulesPlugin }

  /// Creates an option, whose value is set by parsing.
  package init() {}

  /// Reads the text of a rules file; for a file in another language, returns the rules that a plugin generates from it.
  ///
  /// - Parameter dataDirectory: The data folder whose plugins are used when the option is not set.
  /// - Throws: `RulesError` for mistakes in the file, ``RulesTranslation/Failure`` when a plugin fails, and
  ///   `TextFile.Failure`.
  package func read(_ path: String, dataDirectory: String? = nil) async throws -> String {
    try await RulesTranslation.read(path, plugin: rulesPlugin, dataDirectory: dataDirectory)
  }
}

/// A translator of rules files in other languages into rules.
package protocol RulesTranslator: Sendable {
  /// Returns the rules that a plugin generates from a file's text, or the same text when no plugin handles such files.
  ///
  /// - Parameters:
  /// - path: The path of the file.
  /// - plugin: The folder of the plugin; nil to use one of the data folder.
  /// - dataDirectory: The data folder; nil when there is none.
  func rules(of text: String, path: String, plugin: String?, dataDirectory: String?) async throws -> String
}

/// The translator of rules files in the current program.
package enum RulesTranslation {
  /// The translator; nil in a program that runs no plugins.
  @TaskLocal package static var translator: (any RulesTranslator)?

  /// Reads the text of a rules file, like ``RulesPluginOption/read(_:dataDirectory:)``.
  package static func read(_ path: String, plugin: String?, dataDirectory: String?) async throws -> String {
    let text = try TextFile.read(path)
    guard let translator else {
      guard plugin == nil else { throw TextFile.Failure("this program cannot run plugins; use hearth rules") }
      return text
    }
    return try await translator.rules(of: text, path: path, plugin: plugin, dataDirectory: dataDirectory)
  }

  /// The reason why a plugin did not translate a file.
  package struct Failure: Error, CustomStringConvertible {
    /// The description in one sentence, with the file and the plugin.
    package var description: String

    /// Creates a failure.
    package init(_ description: String) { self.description = description }
  }
}
