import Foundation
import Testing

/// Checks that each Python plugin has a current copy of the `hearth_plugin` package, because a plugin must work without
/// files outside its folder.
@Suite struct PluginCopiesTests {
  static let original = "Plugins/Python/hearth_plugin"

  /// The copies of the package, as folders of the checkout.
  static let copies = Set(
    Project.files(below: "Plugins", ending: "hearth_plugin/__init__.py").map {
      String($0.dropLast("/__init__.py".count))
    }
  ).subtracting([original]).sorted()

  @Test("a plugin's copy of hearth_plugin is the original", arguments: copies)
  func copyIsTheOriginal(copy: String) throws {
    let files = Project.files(below: Self.original, ending: ".py").map { String($0.dropFirst(Self.original.count)) }
    #expect(Project.files(below: copy, ending: ".py").map { String($0.dropFirst(copy.count)) } == files)
    for file in files {
      let isSame = try Project.text(Self.original + file) == Project.text(copy + file)
      #expect(isSame, "\(copy)\(file): make plugin-copies")
    }
  }

  @Test("there are plugins with a copy of hearth_plugin")
  func copiesAreFound() { #expect(Self.copies.contains("Plugins/APIKeysPython/hearth_plugin")) }
}
