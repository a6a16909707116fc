import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging

/// Drawn faces (dark spots on a light ground) as files, with labels in imglab's XML.
final class SpotFolder {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("windhover-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  static func spots(_ index: Int, count: Int) -> [Point] {
    var random = RandomStream(seed: 3, stream: UInt64(index))
    let (x, y) = (12 + 10 * random.uniform(), 12 + 10 * random.uniform())
    return (0..<count).map { k in
      let angle = 2 * Double.pi * Double(k) / Double(count)
      return Point(
        x: (x + 12 + 10 * cos(angle) + random.gaussian()).rounded(), y: (y + 12 + 10 * sin(angle)).rounded())
    }
  }

  static func picture(_ spots: [Point], colour: Bool = false) -> ByteImage {
    var image = ByteImage(width: 56, height: 56, channelCount: 1, filledWith: 190)
    for row in 0..<56 {
      for column in 0..<56 {
        let at = Point(x: Double(column), y: Double(row))
        if let k = spots.firstIndex(where: { $0.distance(to: at) < 3 }) {
          image.pixels[row * 56 + column] = UInt8(20 + 9 * (k % 12))
        }
      }
    }
    return colour ? image.rgb() : image
  }

  /// Pictures and `faces.xml`; parts are named by `names` and written in the order of `order`; `absent` says which part a
  /// face lacks.
  func write(
    count: Int, names: [String], order: [Int]? = nil, absent: (Int) -> Int? = { _ in nil }, shift: Double = 0
  ) throws {
    var text = "<dataset><images>\n"
    for index in 0..<count {
      let spots = SpotFolder.spots(index, count: names.count)
      try ImageFile.write(SpotFolder.picture(spots, colour: index % 2 == 0), to: "\(path)/\(index).png")
      let (x0, y0) = (spots.map(\.x).min()! - 4 + shift, spots.map(\.y).min()! - 4)
      text += "<image file='\(index).png'><box left='\(x0)' top='\(y0)' width='28' height='28'><label>face</label>"
      for k in order ?? Array(names.indices) where absent(index) != k {
        text += "<part name='\(names[k])' x='\(spots[k].x)' y='\(spots[k].y)'/>"
      }
      text += "</box></image>\n"
    }
    try AtomicFile.write(text + "</images></dataset>\n", to: "\(path)/faces.xml")
  }

  func dataset() throws -> Dataset { try Dataset.load(DatasetReference.parse("imglab:\(path)/faces.xml")) }
}
