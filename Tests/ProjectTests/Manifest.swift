import Foundation
import Testing

/// The package's manifest as SwiftPM parses it: the table of targets.
struct Manifest: Decodable {
  /// A row of the table.
  struct Target: Decodable {
    var name: String
    /// `regular`, `executable`, `test`, `system` or `plugin`.
    var type: String
    /// The folder of its files, relative to the checkout.
    var path: String
    /// The dependencies, each with its kind, its name and related values.
    private var dependencies: [[String: [Part?]]]

    /// The folder of its group: `Sources/Database`.
    var group: String { path.split(separator: "/").dropLast().joined(separator: "/") }
    /// The targets of this package that it depends on.
    var targets: [String] { names { $0 != "product" } }
    /// The products of other packages that it depends on.
    var products: [String] { names { $0 == "product" } }
    var isShim: Bool { group == "Sources/Shims" }

    /// Its Swift files, relative to the checkout.
    var files: [String] { Project.files(below: path, ending: ".swift") }

    private func names(_ isIncluded: (String) -> Bool) -> [String] {
      dependencies.flatMap { $0.filter { isIncluded($0.key) }.values }.compactMap { $0.first??.text }
    }

    /// A part of a dependency: a name, or a condition.
    private struct Part: Decodable {
      /// nil for a condition.
      var text: String?

      init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }
  }

  private(set) var targets: [Target]

  /// The manifest of the checkout, with the modules that are built only if asked for.
  static let shared: Manifest = {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    do {
      let (code, output) = try Project.run([
        "env", "HEARTH_FIREBASE_MODULES=1",
        "swift", "package", "--package-path", Project.root.path, "--scratch-path", scratch.path, "dump-package",
      ])
      // Traps because arguments of suites cannot throw.
      guard code == 0, let start = output.firstIndex(of: "{") else {
        fatalError("swift package dump-package: \(output)")
      }
      return try JSONDecoder().decode(Manifest.self, from: Data(output[start...].utf8))
    } catch {
      fatalError("the manifest cannot be read: \(error)")
    }
  }()

  /// Targets in `Sources` with Swift files.
  static let sources = shared.targets.filter { $0.path.hasPrefix("Sources/") && !$0.isShim }
}

extension Manifest.Target: CustomTestStringConvertible {
  var testDescription: String { name }
}
