import Execution
import Geometry
import Testing

@testable import Imaging

@Suite("Drawing")
struct CanvasTests {
  private func pixel(_ image: ByteImage, _ x: Int, _ y: Int) -> [UInt8] {
    Array(image.pixels[(y * image.width + x) * 3..<(y * image.width + x) * 3 + 3])
  }

  private let red = RGBColor(red: 255, green: 0, blue: 0)

  @Test("An untouched canvas gives the image back, grey as RGB")
  func untouched() throws {
    var random = RandomStream(seed: 8)
    let color = randomImage(width: 31, height: 17, channelCount: 3, using: &random)
    #expect(try Canvas(color).image() == color)
    #expect(try Canvas(color.grey()).image() == color.grey().rgb())
    let scaled = try Canvas(color, scale: 2)
    #expect(scaled.image() == color.resized(to: PixelSize(width: 62, height: 34)))
  }

  @Test("A box's line lies on its edges: coloured there, rimmed darkly, untouched inside and outside")
  func box() throws {
    let canvas = try Canvas(width: 100, height: 80)
    canvas.draw(Box(x: 20, y: 30, width: 50, height: 40), style: .init(color: red, width: 2))
    let image = canvas.image()
    for (x, y) in [(20, 50), (19, 50), (69, 50), (70, 50), (45, 30), (45, 69)] {
      #expect(pixel(image, x, y) == [255, 0, 0], "\(x), \(y)")
    }
    #expect(pixel(image, 45, 50) == [255, 255, 255])
    #expect(pixel(image, 10, 50) == [255, 255, 255])
    #expect(pixel(image, 18, 50)[0] < 200)
  }

  @Test("Coordinates are the image's whatever the canvas's scale")
  func scaled() throws {
    let canvas = try Canvas(ByteImage(width: 50, height: 40, channelCount: 1, filledWith: 255), scale: 2)
    canvas.draw(points: [Point(x: 10, y: 10)], color: red, radius: 3)
    let image = canvas.image()
    #expect(image.size == PixelSize(width: 100, height: 80))
    #expect(pixel(image, 20, 20) == [255, 0, 0])
    #expect(pixel(image, 10, 10) == [255, 255, 255])
  }

  private let green = RGBColor(red: 0, green: 200, blue: 0)

  /// Pixels of a colour in some rows and columns.
  private func count(_ color: [UInt8], _ image: ByteImage, rows: Range<Int>, columns: Range<Int>) -> Int {
    rows.reduce(0) { sum, y in sum + columns.count { pixel(image, $0, y) == color } }
  }

  @Test("Captions are plates with text: above the box, else below, or inside where there is no room, never cut")
  func caption() throws {
    let cases = [
      (Box(x: 20, y: 40, width: 30, height: 30), 26..<38), (Box(x: 110, y: -5, width: 60, height: 60), 56..<69),
      (Box(x: 20, y: 3, width: 60, height: 84), 4..<17),
    ]
    for (box, rows) in cases {
      let canvas = try Canvas(width: 160, height: 90)
      canvas.draw(box, style: .init(color: green, width: 1), caption: "face 0.97")
      let image = canvas.image()
      var ink = 0
      for y in rows {
        for x in 0..<160 {
          let p = pixel(image, x, y)
          ink += p[1] < 90 || (p[0] > 200 && p[2] > 200 && p != [255, 255, 255]) ? 1 : 0
        }
      }
      #expect(count([0, 200, 0], image, rows: rows, columns: 0..<160) > 200, "\(box)")
      #expect(ink > 20, "\(box)")
    }
  }

  @Test("A caption leaves the box above alone and stands below, and two captions do not cover each other")
  func captionsOfNeighbours() throws {
    let blue = RGBColor(red: 0, green: 0, blue: 255)
    let upper = Box(x: 20, y: 20, width: 80, height: 40)
    let lower = Box(x: 20, y: 62, width: 80, height: 40)
    let canvas = try Canvas(width: 160, height: 140)
    canvas.draw([
      .init(lower, style: .init(color: green, width: 1), caption: "face 0.97"),
      .init(upper, style: .init(color: blue, width: 1), caption: "face 0.42"),
    ])
    let image = canvas.image()
    // Nothing but the outline is green in the upper box, and the plate is below the lower one.
    #expect(count([0, 200, 0], image, rows: 22..<58, columns: 0..<160) == 0)
    #expect(count([0, 200, 0], image, rows: 104..<116, columns: 0..<160) > 200)
    #expect(count([0, 0, 255], image, rows: 6..<19, columns: 0..<160) > 200)

    // The same box twice: both captions can be read.
    let twice = try Canvas(width: 160, height: 140)
    twice.draw([
      .init(upper, style: .init(color: green, width: 1), caption: "face 0.97"),
      .init(upper, style: .init(color: blue, width: 1), caption: "face 0.42"),
    ])
    let both = twice.image()
    for color in [[0, 200, 0], [0, 0, 255]] as [[UInt8]] {
      #expect(count(color, both, rows: 0..<140, columns: 0..<160) > 400)
    }
  }

  @Test("Lines: open ones have no closing side, closed ones do")
  func polylines() throws {
    let points = [Point(x: 10, y: 10), Point(x: 40, y: 10), Point(x: 40, y: 40)]
    for isClosed in [false, true] {
      let canvas = try Canvas(width: 50, height: 50)
      canvas.draw(polyline: points, isClosed: isClosed, style: .init(color: red, width: 3))
      let image = canvas.image()
      #expect(pixel(image, 25, 10) == [255, 0, 0])
      #expect((pixel(image, 25, 25) == [255, 0, 0]) == isClosed)
    }
  }

  @Test("What is not finite, empty or far outside draws nothing and does no harm")
  func badInput() throws {
    let canvas = try Canvas(width: 40, height: 40)
    let before = canvas.image()
    canvas.draw(Box(x: .nan, y: 0, width: 5, height: 5), style: .init(color: red))
    canvas.draw(Box(x: 0, y: 0, width: 0, height: 5), style: .init(color: red), caption: "none")
    canvas.draw(Box(x: 1e300, y: 1e300, width: 5, height: 5), style: .init(color: red))
    canvas.draw(points: [Point(x: .infinity, y: 0), Point(x: -1e9, y: 3)], color: red)
    canvas.draw(polyline: [Point(x: .nan, y: 1), Point(x: 3, y: 3)], style: .init(color: red))
    canvas.draw(text: "", at: Point(x: 3, y: 3))
    #expect(canvas.image() == before)
    #expect(throws: InputError.self) { try Canvas(width: 0, height: 4) }
    #expect(throws: InputError.self) { try Canvas(width: 40000, height: 4) }
    #expect(throws: InputError.self) { try Canvas(ByteImage(width: 0, height: 0, channelCount: 1, pixels: [])) }
  }

  @Test("Detections and annotations take their labels' colours")
  func results() throws {
    let canvas = try Canvas(width: 200, height: 200)
    let box = Box(x: 50, y: 50, width: 100, height: 100)
    canvas.draw(
      [Detection(box: box, score: 1, label: "face")], colors: ["face": red], showsCaptions: false)
    let line = pixel(canvas.image(), 100, 50)
    #expect(line[0] > 200 && line[1] < 60 && line[2] < 60)
    canvas.draw(
      [
        Annotation(
          box: box, label: "x",
          landmarks: [Landmark(name: "1", point: Point(x: 100, y: 100)), Landmark(name: "2", point: nil)])
      ])
    let color = RGBColor.forLabel("x")
    #expect(pixel(canvas.image(), 100, 100) == [color.red, color.green, color.blue])
    #expect(RGBColor.forLabel("face") == RGBColor.forLabel("face"))
  }

  @Test("A contact sheet holds each picture in its cell with its aspect ratio")
  func contactSheet() throws {
    let blue = ByteImage(width: 4, height: 2, channelCount: 3, pixels: (0..<8).flatMap { _ in [0, 0, 255] as [UInt8] })
    let cells = [
      ContactSheet.Cell(image: blue),
      ContactSheet.Cell(image: ByteImage(width: 0, height: 0, channelCount: 1, pixels: [])),
      ContactSheet.Cell(image: ByteImage(width: 9, height: 9, channelCount: 1, filledWith: 200)),
    ]
    let sheet = try ContactSheet.render(cells, cellSize: PixelSize(width: 20, height: 20), columns: 2, margin: 4)
    #expect(sheet.size == PixelSize(width: 52, height: 52))
    #expect(pixel(sheet, 14, 14) == [0, 0, 255])
    #expect(pixel(sheet, 14, 6) == [64, 64, 64])
    #expect(pixel(sheet, 38, 14) == [64, 64, 64])
    #expect(pixel(sheet, 5, 47) == [200, 200, 200])
    #expect(throws: InputError.self) {
      try ContactSheet.render([], cellSize: PixelSize(width: 20, height: 20), columns: 2)
    }
  }

  @Test("A caption says whether its number is a confidence or a score")
  func numbers() {
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    func caption(_ score: Double, _ confidence: Double?) -> String {
      Detection(box: box, score: score, confidence: confidence, label: "face").caption
    }
    #expect(caption(1.234, 0.871) == "face 87 %" && caption(9, 1) == "face 100 %")
    #expect(caption(1.234, nil) == "face score 1.23" && caption(-0.5, nil) == "face score -0.50")
  }
}
