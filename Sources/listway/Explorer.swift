import Gateway

/// The page to browse the lists with, of the files in `Resources`, which are compiled into the program.
enum Explorer {
  static var assets: [Asset] {
    [
      Asset(.explorer, name: "", mediaType: html, content: PackageResources.index_html),
      Asset(.explorer, name: "explorer.css", mediaType: css, content: PackageResources.explorer_css),
      Asset(.explorer, name: "explorer.svg", mediaType: svg, content: PackageResources.explorer_svg),
      script("explorer.js", PackageResources.explorer_js),
      script("explorer-code.js", PackageResources.explorer_code_js),
      script("explorer-items.js", PackageResources.explorer_items_js),
      script("explorer-states.js", PackageResources.explorer_states_js),
      Asset(.client, name: "listway.js", mediaType: javaScript, content: PackageResources.listway_js),
    ]
  }

  private static func script(_ name: String, _ content: [UInt8]) -> Asset {
    Asset(.explorer, name: name, mediaType: javaScript, content: content)
  }

  private static let html = "text/html; charset=utf-8"
  private static let css = "text/css; charset=utf-8"
  private static let svg = "image/svg+xml"
  private static let javaScript = "text/javascript; charset=utf-8"
}
