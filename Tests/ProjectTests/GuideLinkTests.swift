import Foundation
import Testing

/// Checks the links between guides.
@Suite struct GuideLinkTests {
  /// The text files that a plain Git host shows: each link in them is a path from the file's folder.
  private static func pages() -> [String] {
    ["Sources", "Rules", "Plugins"].flatMap { Project.files(below: $0, ending: ".md") }.filter {
      !$0.contains(".docc/")
    }
      + ["README.md"]
  }

  /// The targets of the Markdown links of `page` that are files, relative to the root of the repository.
  private static func targets(of page: String) throws -> Set<String> {
    let folder = URL(filePath: "/" + page).deletingLastPathComponent()
    let links = try Project.text(page).matches(of: /\]\(([^)\s#]+)(?:#[^)]*)?\)/).map { String($0.output.1) }
    return Set(
      links.filter { !$0.contains(":") }
        .map { String(folder.appending(path: $0).standardizedFileURL.path.dropFirst()) })
  }

  @Test("every link between pages leads to an existing file")
  func linksLeadSomewhere() throws {
    let pages = Self.pages()
    #expect(pages.count > 50)
    for page in pages {
      for target in try Self.targets(of: page) {
        let isThere = FileManager.default.fileExists(atPath: Project.root.appending(path: target).path)
        #expect(isThere, "\(page) leads to \(target)")
      }
    }
  }

  @Test("every guide is reached from the first page of the guide")
  func guidesAreReached() throws {
    let reached = try Self.targets(of: "Sources/Guide/README.md")
    for guide in Project.files(below: "Sources/Guide", ending: ".md") where guide != "Sources/Guide/README.md" {
      #expect(reached.contains(guide), "\(guide)")
    }
  }

  @Test("the places where things are added are there")
  func placesAreThere() throws {
    let text = try Project.text("Sources/Guide/README.md")
    let sections = text.components(separatedBy: "\n## ")
    let table = try #require(sections.first { $0.hasPrefix("Where things are added") })
    let places = table.matches(of: /`([A-Za-z\/.+-]+)`/).map { String($0.output.1) }
    #expect(places.count >= 15)
    for place in places {
      let isThere = ["", "Sources/"].contains { folder in
        FileManager.default.fileExists(atPath: Project.root.appending(path: folder + place).path)
      }
      #expect(isThere, "\(place)")
    }
  }
}
