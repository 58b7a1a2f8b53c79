// How long to keep to a slow way of summing after the quick ones failed.
//
//   16 tiles; twice as many each time, up to 4096, while the slow way is needed again within 64
//   good tiles. An attempt that fails costs a read from L1
//
// Included inside the namespace of an instruction set; no include guard.

class Patience {
 public:
  // The quick way failed.
  void failed() {
    hold_ = good_ >= calm ? shortest : hold_ < longest ? 2 * hold_ : longest;
    good_ = held_ = 0;
  }
  void succeeded() { ++good_; }
  // After each tile on the slow way: is it time to try the quick one?
  bool over() { return ++held_ >= hold_; }

 private:
  static constexpr int shortest = 16, longest = 4096, calm = 64;
  int hold_ = shortest;
  int held_ = 0;
  int good_ = calm;
};
