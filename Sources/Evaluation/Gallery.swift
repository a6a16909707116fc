import Execution
import Foundation
import Geometry

/// Gives the pictures of a report's galleries. Evaluation itself never opens an image.
public protocol GalleryImageProvider: Sendable {
  /// A PNG or JPEG of one square region of an image, or `nil` where there is none to be had.
  ///
  /// - Parameters:
  ///   - region: In the image's pixels; it may reach beyond the image, and the picture must cover all of it.
  ///   - side: Wanted size of the picture in pixels.
  func picture(of region: Box, in image: AnnotatedImage, side: Int) -> Data?
}

/// Which examples a report shows.
public struct GalleryOptions: Hashable, Sendable {
  /// How many of each kind at most.
  public var limit: Int
  /// Size of a picture in pixels.
  public var side: Int

  public init(limit: Int = 24, side: Int = 160) {
    precondition(limit >= 0 && side > 0)
    self.limit = limit
    self.side = side
  }
}

/// One example: an object or a detection with what is around it.
struct GalleryItem: Sendable {
  var image: Int
  /// The detection, where the example is one.
  var found: Box?
  var region: Box
  var title: String
  var detail: String
}

enum Gallery {
  /// The surest false alarms, by falling score.
  static func falseAlarms(_ matching: Matching, limit: Int) -> [GalleryItem] {
    matching.detections.lazy.filter(\.isFalseAlarm).prefix(limit).map { matched in
      item(
        matching, matched,
        matched.outcome == .duplicate ? "duplicate" : "overlap \(NumberText.short(matched.overlap, digits: 2))")
    }
  }

  /// The surest right detections, by falling score.
  static func rightHits(_ matching: Matching, limit: Int) -> [GalleryItem] {
    matching.detections.lazy.filter { $0.outcome == .right }.prefix(limit).map {
      item(matching, $0, "overlap \(NumberText.short($0.overlap, digits: 2))")
    }
  }

  /// Targets that no detection claims at any score, the largest first.
  static func missedObjects(_ matching: Matching, limit: Int) -> [GalleryItem] {
    var missed: [(image: Int, box: Box, label: String)] = []
    for (image, targets) in matching.targets.enumerated() {
      for target in targets where target.score == nil {
        let annotation = matching.images[image].annotations[target.annotation]
        missed.append((image, annotation.box, annotation.label))
      }
    }
    // The order of images and of targets within one does not depend on that of files, and settles equal areas.
    let order = missed.indices.sorted {
      missed[$0].box.area != missed[$1].box.area ? missed[$0].box.area > missed[$1].box.area : $0 < $1
    }
    return order.prefix(limit).map { index in
      let one = missed[index]
      return GalleryItem(
        image: one.image, found: nil, region: region(one.box), title: size(one.box),
        detail: matching.images[one.image].name)
    }
  }

  private static func item(_ matching: Matching, _ matched: MatchedDetection, _ what: String) -> GalleryItem {
    let box = matching.results[matched.image].detections[matched.detection].box
    return GalleryItem(
      image: matched.image, found: box, region: region(box),
      title: "score \(NumberText.short(matched.score)) \u{b7} \(what) \u{b7} \(size(box))",
      detail: matching.images[matched.image].name)
  }

  private static func size(_ box: Box) -> String {
    "\(NumberText.short(box.width, digits: 3)) \u{d7} \(NumberText.short(box.height, digits: 3)) px"
  }

  /// A square about the box, twice its longer side, and never so small that nothing can be seen.
  private static func region(_ box: Box) -> Box {
    let side = max(24, 2 * max(box.width, box.height))
    return Box(center: box.center, width: side, height: side)
  }
}
