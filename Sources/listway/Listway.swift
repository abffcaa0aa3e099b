@main
enum Listway {
  static func main() {
    print("listway")
  }
}
