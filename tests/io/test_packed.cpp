// Compressed files and members of zip archives: their contents, and every kind of damage.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>
#include <vector>

#include "expect_error.hpp"
#include "io/files.hpp"
#include "onefold/io/codec.hpp"
#include "onefold/onefold.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/load.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Pipe;
using test::Scratch;

struct Tool {
  const char* command;
  const char* extension;
};
constexpr Tool tools[] = {
    {"gzip -c", ".gz"}, {"zstd -q -c", ".zst"}, {"xz -0 -c", ".xz"}, {"bzip2 -c", ".bz2"}};

std::string pack(const Tool& tool, const std::string& bytes) {
  const Scratch folder;
  const std::string from = folder.write("from", bytes), to = folder.path("to");
  const std::string line = std::string(tool.command) + " < " + from + " > " + to;
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
  std::ifstream in(to, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string npy_of(const std::vector<double>& list) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(list.size()) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0\x76\0", 10) + header +
         std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(double));
}

double sum_of(const std::string& path) {
  return io::fold_files("sum", {path}, {}).list[0].only().as<double>();
}

TEST(Packed, IsReadAsWhatItHolds) {
  std::vector<double> list(300'000);
  std::iota(list.begin(), list.end(), 0.5);
  const double right = sum(list);
  std::string text;
  for (const double x : list) text += std::to_string(x) + "\n";
  const Scratch folder;
  for (const Tool& tool : tools) {
    SCOPED_TRACE(tool.extension);
    EXPECT_EQ(sum_of(folder.write("x.txt" + std::string(tool.extension), pack(tool, text))), right);
    const std::string npy = pack(tool, npy_of(list));
    EXPECT_EQ(sum_of(folder.write("x.npy" + std::string(tool.extension), npy)), right);
    // The codec is found by the first bytes, also from a pipe.
    EXPECT_EQ(sum_of(folder.write("x", npy)), right);
    const Pipe pipe(folder.path(tool.extension), npy, 70'000);
    EXPECT_EQ(sum_of(pipe.path()), right);
  }
}

TEST(Packed, MayHaveSeveralMembers) {
  const Scratch folder;
  for (const Tool& tool : tools) {
    const std::string two = pack(tool, "1\n") + pack(tool, "2\n") + pack(tool, "");
    EXPECT_EQ(sum_of(folder.write("x" + std::string(tool.extension), two)), 3) << tool.extension;
  }
}

TEST(Packed, MayBeginWithFramesThatZstdSkips) {
  const Scratch folder;
  const std::string whole = pack({"zstd -q -c", ".zst"}, "2\n4\n");
  for (const char first : {'\x50', '\x5f'}) {
    const std::string skipped = first + std::string("\x2a\x4d\x18\4\0\0\0abcd", 11);
    EXPECT_EQ(sum_of(folder.write("x.txt.zst", skipped + whole)), 6);
    EXPECT_EQ(sum_of(folder.write("x", skipped + whole + skipped + whole)), 12);
    EXPECT_THROW(sum_of(folder.write("x.txt.zst", skipped.substr(0, 10))), Error);
  }
}

TEST(Packed, IsTruncatedWhereverItIsCut) {
  const Scratch folder;
  for (const Tool& tool : tools) {
    for (const std::string& bytes : {pack(tool, "1\n2\n3\n"), pack(tool, npy_of({1, 2, 3}))}) {
      for (std::size_t n = 6; n < bytes.size(); ++n) {
        try {
          sum_of(folder.write("x" + std::string(tool.extension), bytes.substr(0, n)));
          ADD_FAILURE() << tool.extension << " cut after " << n;
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), ErrorCode::truncated) << tool.extension << " " << n << e.what();
        }
      }
    }
  }
}

// One wrong bit is an error, unless that bit has no meaning.
TEST(Packed, IsNeverAWrongNumberWhenItIsDamaged) {
  const Scratch folder;
  for (const Tool& tool : tools) {
    // Without a checksum zstd may not notice the error.
    const Tool checked{tool.extension == std::string(".zst") ? "zstd -q --check -c" : tool.command,
                       tool.extension};
    const std::string bytes = pack(checked, npy_of({1, 2, 3.25}));
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
      std::string bad = bytes;
      bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << i % 8));
      try {
        EXPECT_EQ(sum_of(folder.write("x.npy" + std::string(tool.extension), bad)), 6.25)
            << tool.extension << " bit " << i;
      } catch (const Error&) {
      }
    }
  }
}

TEST(Packed, MustBeginAsItsNameSays) {
  const Scratch folder;
  try {
    sum_of(folder.write("x.gz", "1 2 3\n"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_header);
  }
}

TEST(Packed, LeavesRawDataAlone) {
  const Scratch folder;
  io::InputOptions raw;
  raw.dtype = DType::u8;
  const std::string path = folder.write("x.bin", "\x1f\x8b\x08");
  EXPECT_EQ(io::fold_files("sum", {path}, raw).list[0].only().as<uint64_t>(), 178u);
}

// A file that is no library replaces one that is not installed.
TEST(Packed, SaysWhyALibraryCannotBeLoadedAndNamesItsPackage) {
#ifdef ONEFOLD_PROGRAM
  struct Missing {
    const char* file;
    const char* package;
  };
  constexpr Missing missing[] = {{"libz.so.1", "zlib1g"},
                                 {"libzstd.so.1", "libzstd1"},
                                 {"liblzma.so.5", "liblzma5"},
                                 {"libbz2.so.1.0", "libbz2-1.0"}};
  for (std::size_t k = 0; k < std::size(tools); ++k) {
    const Scratch folder;
    folder.write(missing[k].file, "no library");
    const std::string x = folder.write("x" + std::string(tools[k].extension), pack(tools[k], "1"));
    const std::string error = folder.path("error");
    const std::string line =
        "LD_LIBRARY_PATH=" + folder.path("") + " " + ONEFOLD_PROGRAM + " sum " + x + " 2> " + error;
    EXPECT_NE(std::system(line.c_str()), 0);
    std::ifstream in(error);
    const std::string says{std::istreambuf_iterator<char>(in), {}};
    const std::string file = missing[k].file;
    EXPECT_NE(says.find(file + " cannot be loaded (" + folder.path(file) +
                        ": file too short); install " + missing[k].package),
              std::string::npos)
        << says;
  }
#endif
}

// A zip archive; its members are stored, or deflated by gzip.
class Zip {
 public:
  void add(const std::string& name, const std::string& data, bool deflate) {
    const std::string gz = pack(tools[0], data);
    std::string body = data;
    // gzip's header has 10 bytes (a pipe has no name); checksum and length are at the end.
    if (deflate) body = gz.substr(10, gz.size() - 18);
    const std::string crc = gz.substr(gz.size() - 8, 4);
    const std::string common = std::string(deflate ? "\x08\0" : "\0\0", 2) + std::string(4, '\0') +
                               crc + number(body.size(), 4) + number(data.size(), 4) +
                               number(name.size(), 2) + number(0, 2);
    directory_ += std::string("PK\1\2\x14\0\x14\0\0\0", 10) + common + std::string(10, '\0') +
                  number(bytes_.size(), 4) + name;
    bytes_ += std::string("PK\3\4\x14\0\0\0", 8) + common + name + body;
    ++members_;
  }
  std::string bytes() const {
    return bytes_ + directory_ + std::string("PK\5\6\0\0\0\0", 8) + number(members_, 2) +
           number(members_, 2) + number(directory_.size(), 4) + number(bytes_.size(), 4) +
           number(0, 2);
  }

 private:
  static std::string number(uint64_t n, int bytes) {
    std::string s;
    for (int k = 0; k < bytes; ++k) s += static_cast<char>(n >> 8 * k & 0xff);
    return s;
  }
  std::string bytes_, directory_;
  uint64_t members_ = 0;
};

TEST(Npz, GivesTheMemberThatIsNamed) {
  const Scratch folder;
  Zip zip;
  zip.add("x.npy", npy_of({1, 2, 3}), false);
  zip.add("y.npy", npy_of({10, 20, 30.5}), true);
  const std::string path = folder.write("a.npz", zip.bytes());
  EXPECT_EQ(sum_of(path + ":x"), 6);
  EXPECT_EQ(sum_of(path + ":/x.npy"), 6);
  EXPECT_EQ(sum_of(path + ":y"), 60.5);
  for (const std::string& wrong : {path, path + ":z"}) {
    try {
      sum_of(wrong);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(e.what()).find("x, y"), std::string::npos) << e.what();
    }
  }
  Zip one;
  one.add("only.npy", npy_of({4}), true);
  EXPECT_EQ(sum_of(folder.write("one.npz", one.bytes())), 4);
}

// A member that is deflated or stored.
class NpzMember : public testing::TestWithParam<bool> {};

TEST_P(NpzMember, IsNeverAWrongNumberWhenItIsCutOrDamaged) {
  const Scratch folder;
  Zip zip;
  zip.add("x.npy", npy_of({1, 2, 3.25}), GetParam());
  const std::string bytes = zip.bytes();
  for (std::size_t n = 4; n < bytes.size(); ++n) {
    EXPECT_THROW(sum_of(folder.write("a.npz", bytes.substr(0, n))), Error) << n;
  }
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string bad = bytes;
    bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << i % 8));
    try {
      EXPECT_EQ(sum_of(folder.write("a.npz", bad)), 6.25) << "bit " << i;
    } catch (const Error&) {
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Packed, NpzMember, testing::Bool());

TEST(Npz, VerifiesAStoredMemberInWhateverPiecesItIsRead) {
  const Scratch folder;
  std::vector<double> x(300'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 1000);
  Zip zip;
  zip.add("x.npy", npy_of(x), false);
  std::string bytes = zip.bytes();
  const std::string good = folder.write("good.npz", bytes);
  bytes[1'700'000] = static_cast<char>(bytes[1'700'000] ^ 4);
  const std::string bad = folder.write("bad.npz", bytes);
  for (const int threads : {1, 4}) {
    for (const Size window : {Size{100'000}, Size{400'000}, Size{32} << 20}) {
      const io::Limits limits{.window_bytes = window, .least_window_bytes = 1000};
      const auto sum = [&](const std::string& path) {
        const Query query("sum", {.threads = threads});
        return io::fold_files(query, {path}, {}, {}, limits).list[0].only().as<double>();
      };
      EXPECT_EQ(sum(good), 300 * 499'500.0);
      test::expect_error(ErrorCode::bad_header, {"bad.npz", "checksum"}, [&] { sum(bad); });
    }
  }
  EXPECT_THROW(io::load_array(bad), Error);
  // A share reads only a part of the file.
  io::InputOptions half;
  half.share = io::Share{.index = 0, .of = 2};
  EXPECT_EQ(io::gather_files(Query("count"), {bad}, half).answer("count").as<int64_t>(), 150'000);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
