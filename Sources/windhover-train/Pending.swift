@main struct Pending {
  static func main() {}
}
