class Onefold < Formula
  desc "Fold arrays into exactly rounded sums, means and variances"
  homepage "https://onefold.invalid"
  url "https://onefold.invalid/releases/v0.1.0/onefold-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "fast_float" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "boost"
  depends_on "bzip2"
  depends_on "fmt"
  depends_on "highway"
  depends_on :linux
  depends_on "tbb"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DONEFOLD_TESTS=OFF", "-DONEFOLD_MPI=OFF",
           "-DONEFOLD_ARROW=OFF", "-DONEFOLD_CUB=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_equal "1e+308\n", pipe_output("#{bin}/onefold sum", "1e308 1e308 -1e308")
  end
end
