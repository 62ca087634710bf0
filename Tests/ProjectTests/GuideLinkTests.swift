import Foundation
import Testing

/// Checks the links between guides.
@Suite struct GuideLinkTests {
  @Test("every link between guides leads to an existing page")
  func linksLeadSomewhere() throws {
    let guides = Project.files(below: "Sources", ending: ".md").filter { $0.contains(".docc/") }
    #expect(!guides.isEmpty)
    for guide in guides {
      let folder = guide.prefix { $0 != "." } + ".docc/"
      for match in try Project.text(guide).matches(of: /<doc:([A-Za-z]+)>/) {
        #expect(guides.contains("\(folder)\(match.output.1).md"), "\(guide) leads to \(match.output.1)")
      }
    }
  }

  @Test("every guide is reached from the first page of its catalogue")
  func guidesAreReached() throws {
    for guide in Project.files(below: "Sources", ending: ".md") where guide.contains(".docc/") {
      let url = URL(filePath: guide)
      let name = url.deletingPathExtension().lastPathComponent
      let module = url.deletingLastPathComponent().deletingPathExtension().lastPathComponent
      guard name != module else { continue }
      let first = try Project.text(url.deletingLastPathComponent().relativePath + "/\(module).md")
      #expect(first.contains("<doc:\(name)>"), "\(guide)")
    }
  }

  @Test("the places where things are added are there")
  func placesAreThere() throws {
    let text = try Project.text("Sources/Guide/HearthGuide.docc/HearthGuide.md")
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
