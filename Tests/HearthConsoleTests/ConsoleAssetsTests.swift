import Foundation
import Testing

@testable import HearthConsole

/// Tests of the console page that the build made.
@Suite struct ConsoleAssetsTests {
  @Test("the page names existing files, and each file name except the page's contains a hash")
  func page() throws {
    let assets = ConsoleAssets.all
    let index = String(decoding: try #require(assets.plain("index.html")), as: UTF8.self)
    let named = index.matches(of: /"assets\/([^"]+)"/).map { String($0.output.1) }
    #expect(!named.isEmpty)
    for name in named { #expect(assets[name]?.isImmutable == true, "\(name)") }
    for name in assets.names where name != "index.html" {
      #expect(name.wholeMatch(of: /[A-Za-z0-9_.-]+-[A-Za-z0-9]{8}\.[a-z0-9]+/) != nil, "\(name)")
    }
    #expect(assets["index.html"]?.isImmutable == false)
    #expect(assets["nothing.js"] == nil && assets.plain("nothing.js") == nil)
  }

  @Test("assets refer to no other host, and the page has no inline script")
  func ownHost() throws {
    let assets = ConsoleAssets.all
    for name in assets.names where [".html", ".css", ".js"].contains(where: name.hasSuffix) {
      let text = String(decoding: try #require(assets.plain(name)), as: UTF8.self)
      #expect(text.firstMatch(of: /(src|href)="(https?:)?\/\//) == nil, "\(name)")
      #expect(text.firstMatch(of: /url\(["']?(https?:)?\/\//) == nil, "\(name)")
      if name.hasSuffix(".html") {
        #expect(text.firstMatch(of: /<script(?![^>]*src=)|<style|style=|\son[a-z]+=/) == nil, "\(name)")
      }
    }
  }

  @Test("all assets together have less than 260 KB, compressed")
  func size() {
    let assets = ConsoleAssets.all
    #expect(assets.names.reduce(0) { $0 + (assets[$1]?.compressed.count ?? 0) } < 260 << 10)
  }
}
