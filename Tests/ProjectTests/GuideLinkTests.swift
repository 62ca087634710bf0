import Foundation
import Testing

/// Checks the links of the pages that a plain Git host shows. `make docs` checks the same links on the site.
@Suite struct GuideLinkTests {
  /// The front page, the guides, and the pages of rules, plugins and contributors.
  private static func pages() -> [String] {
    ["Sources", "Rules", "Plugins", ".github"].flatMap { Project.files(below: $0, ending: ".md") }
      .filter { !$0.contains(".docc/") } + ["README.md"]
  }

  /// A link in a page: a path relative to the root of the repository, and the anchor of a heading.
  private struct Link: Hashable {
    var file: String
    var anchor: String?
  }

  /// The text of a page without code, in which brackets are no links.
  private static func prose(of page: String) throws -> String {
    try Project.text(page).replacing(/(?ms)^ *```.*?^ *```/, with: "").replacing(/`[^`\n]*`/, with: "`")
  }

  /// The links and images of a page that name files of the repository.
  private static func links(of page: String) throws -> Set<Link> {
    let folder = URL(filePath: "/" + page).deletingLastPathComponent()
    let text = try prose(of: page)
    let addresses =
      text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
      + text.matches(of: /(?:src|srcset)="([^"]+)"/).map { String($0.output.1) }
    return Set(
      addresses.filter { !$0.contains(":") }.map { address in
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let file = parts[0].isEmpty ? "/" + page : folder.appending(path: parts[0]).standardizedFileURL.path
        return Link(file: String(file.dropFirst()), anchor: parts.count > 1 ? parts[1] : nil)
      })
  }

  /// The anchors that a Git host gives the headings of a page: lower case, spaces as hyphens, no punctuation, and a number
  /// after a repeated one.
  private static func anchors(of page: String) throws -> Set<String> {
    let text = try Project.text(page).replacing(/(?ms)^ *```.*?^ *```/, with: "")
    var counts: [String: Int] = [:]
    var found: Set<String> = []
    for heading in text.matches(of: /(?m)^#{1,6} +(.+?) *#*$/) {
      let title = heading.output.1.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
      let slug = String(
        title.lowercased().compactMap { letter in
          letter == " " ? "-" : letter.isLetter || letter.isNumber || letter == "-" || letter == "_" ? letter : nil
        })
      let count = counts[slug, default: 0]
      counts[slug] = count + 1
      found.insert(count == 0 ? slug : "\(slug)-\(count)")
    }
    return found
  }

  @Test("every link between pages leads to an existing file and heading, and every image exists")
  func linksLeadSomewhere() throws {
    let pages = Self.pages()
    #expect(pages.count > 50)
    for page in pages {
      for link in try Self.links(of: page) {
        let isThere = FileManager.default.fileExists(atPath: Project.root.appending(path: link.file).path)
        #expect(isThere, "\(page) leads to \(link.file)")
        guard isThere, let anchor = link.anchor, link.file.hasSuffix(".md") else { continue }
        #expect(try Self.anchors(of: link.file).contains(anchor), "\(page) leads to \(link.file)#\(anchor)")
      }
    }
  }

  /// The guide's first page is also the navigation of the site, so a page is listed there or below a page that is.
  @Test("every page is reached from the README or the first page of the guide")
  func pagesAreReached() throws {
    let pages = Set(Self.pages())
    var reached: Set = ["README.md"]
    var waiting = ["README.md"]
    while let page = waiting.popLast() {
      for link in try Self.links(of: page) where pages.contains(link.file) && reached.insert(link.file).inserted {
        waiting.append(link.file)
      }
    }
    let listed = try Set(Self.links(of: "Sources/Guide/README.md").map(\.file))
    for page in pages where !page.hasPrefix("Sources/Server/") {
      let isReached = reached.contains(page)
      #expect(isReached, "\(page)")
      let isGuide = page.hasPrefix("Sources/Guide/") && page != "Sources/Guide/README.md"
      let isListed = !isGuide || listed.contains(page)
      #expect(isListed, "\(page) is missing in Sources/Guide/README.md")
    }
  }

  @Test("a path of the guide's first page has at most six pages")
  func pathsAreShort() throws {
    let text = try Project.text("Sources/Guide/README.md")
    let paths = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Three paths") })
      .components(separatedBy: "\n### ").dropFirst()
    #expect(paths.count == 3)
    for path in paths { #expect((3...6).contains(path.matches(of: #/(?m)^\d\. /#).count), "\(path.prefix(20))") }
  }

  @Test("pictures are small")
  func picturesAreSmall() throws {
    let folder = Project.root.appending(path: "Sources/Guide/Images")
    let sizes = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey]).map
    {
      ($0.lastPathComponent, try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }
    for (name, size) in sizes { #expect(size < 300_000, "\(name)") }
    #expect(sizes.map(\.1).reduce(0, +) < 2_000_000)
  }

  @Test("the places where things are added are there")
  func placesAreThere() throws {
    let text = try Project.text(".github/CONTRIBUTING.md")
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
