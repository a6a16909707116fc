import Execution
import Foundation
import Geometry

extension Gallery {
  /// The three galleries of one result.
  static func html(
    _ scored: ScoredResults, provider: any GalleryImageProvider, options: GalleryOptions, executor: ParallelExecutor
  ) -> String {
    let matching = scored.matching
    let missedCount = matching.targets.joined().reduce(0) { $0 + ($1.score == nil ? 1 : 0) }
    let falseCount = scored.figures.count(.wrong) + scored.figures.count(.duplicate)
    var text =
      "<p class=\"lead\"><span class=\"key\"></span>detection<span class=\"key truth\"></span>target"
      + "<span class=\"key hidden\"></span>ignored</p>\n"
    text += section(
      "The surest false alarms", falseCount, falseAlarms(matching, limit: options.limit), matching, provider, options,
      executor)
    text += section(
      "Missed objects, the largest", missedCount, missedObjects(matching, limit: options.limit), matching, provider,
      options, executor)
    text += section(
      "The surest right hits", scored.figures.count(.right), rightHits(matching, limit: options.limit), matching,
      provider, options, executor)
    return text
  }

  private static func section(
    _ title: String, _ total: Int, _ items: [GalleryItem], _ matching: Matching, _ provider: any GalleryImageProvider,
    _ options: GalleryOptions, _ executor: ParallelExecutor
  ) -> String {
    var text = "<h3>\(title) <span class=\"range\">\(items.count) of \(NumberText.count(total))</span></h3>\n"
    guard !items.isEmpty else { return text + "<p class=\"lead\">None.</p>\n" }
    let pictures = executor.map(items.count) { index -> String? in
      provider.picture(of: items[index].region, in: matching.images[items[index].image], side: options.side)
        .flatMap(dataAddress)
    }
    text += "<div class=\"gallery\">\n"
    for (item, picture) in zip(items, pictures) { text += figure(item, picture, matching.images[item.image]) }
    return text + "</div>\n"
  }

  private static func figure(_ item: GalleryItem, _ picture: String?, _ image: AnnotatedImage) -> String {
    let region = item.region
    var text = "<figure><div class=\"thumb\">"
    if let picture {
      text += "<img loading=\"lazy\" alt=\"part of \(Markup.escaped(image.name))\" src=\"\(picture)\">"
    }
    text +=
      "<svg viewBox=\"\(Markup.number(region.x)) \(Markup.number(region.y)) \(Markup.number(region.width)) "
      + "\(Markup.number(region.height))\" aria-hidden=\"true\">"
    for annotation in image.annotations where annotation.box.intersectionArea(region) > 0 {
      text += outline(annotation.box, annotation.isIgnored ? "hidden" : "truth")
    }
    if let found = item.found { text += outline(found, "found") }
    return text + "</svg></div><figcaption>\(Markup.escaped(item.title))<br><span>"
      + "\(Markup.escaped(Markup.shortened(item.detail, to: 60)))</span></figcaption></figure>\n"
  }

  private static func outline(_ box: Box, _ style: String) -> String {
    let path =
      "M\(Markup.number(box.x)) \(Markup.number(box.y))H\(Markup.number(box.maxX))V\(Markup.number(box.maxY))"
      + "H\(Markup.number(box.x))Z"
    return "<path class=\"halo\" d=\"\(path)\"/><path class=\"\(style)\" d=\"\(path)\"/>"
  }

  /// A data address, or `nil` where the bytes are neither PNG nor JPEG.
  static func dataAddress(_ data: Data) -> String? {
    let type: String
    if data.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      type = "image/png"
    } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
      type = "image/jpeg"
    } else {
      return nil
    }
    return "data:\(type);base64,\(data.base64EncodedString())"
  }
}
