// Folds arrays by arrays of keys.
#include <gtest/gtest.h>

#include <map>

#include "expect_error.hpp"
#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;
using test::npy_header;
using test::Random;
using test::Scratch;

template <class T>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& v) {
  return npy_header("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape +
                    ", }\n") +
         std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
}

io::Grouped group(const std::string& ops, const std::string& by,
                  const std::vector<std::string>& files, const io::Limits& limits = {},
                  int threads = 2) {
  io::InputOptions input;
  input.guess = true;
  input.by = by;
  return io::group_files({ops, {.threads = threads}}, files, input, {}, limits);
}

std::string show(const io::Grouped& g) {
  std::string all;
  for (Size k = 0; k < g.keys.size(); ++k) {
    for (const auto part : io::parts_of_key(g.keys[k], g.by.size())) all += std::string(part) + " ";
    for (Size c = 0; c < g.columns.size(); ++c) {
      all += "=" + std::to_string(
                       static_cast<int>(g.answers.list[0][k * g.columns.size() + c].as<double>()));
    }
    all += ";";
  }
  return all;
}

TEST(ArrayGroups, FoldAnArrayByTheKeysOfAnother) {
  const Scratch folder;
  const auto keys = folder.write("k.npy", npy<int64_t>("<i8", "(4,)", {3, -1, 3, 20}));
  const auto x = folder.write("x.npy", npy<double>("<f8", "(4,)", {1, 2, 4, 8}));
  const io::Grouped g = group("sum", keys, {x});
  EXPECT_EQ(show(g), "-1 =2;3 =5;20 =8;");
  EXPECT_EQ(g.by, std::vector<std::string>{"k"});
  EXPECT_EQ(g.columns, std::vector<std::string>{"x"});
  EXPECT_EQ(g.types, std::vector<std::optional<DType>>{DType::i64});
}

TEST(ArrayGroups, AreInTheOrderOfTheirValues) {
  const Scratch folder;
  const auto x = folder.write("x.npy", npy<double>("<f8", "(4,)", {1, 2, 4, 8}));
  const auto by = [&](const std::string& name, const std::string& bytes) {
    return show(group("sum", folder.write(name + ".npy", bytes), {x}));
  };
  EXPECT_EQ(by("i8", npy<int8_t>("|i1", "(4,)", {127, -128, -1, 0})), "-128 =2;-1 =4;0 =8;127 =1;");
  EXPECT_EQ(by("u64", npy<uint64_t>("<u8", "(4,)", {~0ull, 1, 1ull << 63, 256})),
            "1 =2;256 =8;9223372036854775808 =4;18446744073709551615 =1;");
  EXPECT_EQ(by("i64", npy<int64_t>("<i8", "(4,)", {-int64_max - 1, int64_max, -1, 0})),
            "-9223372036854775808 =1;-1 =4;0 =8;9223372036854775807 =2;");
  EXPECT_EQ(by("big", npy<uint16_t>(">i2", "(4,)", {0x0100, 0x0200, 0xffff, 0x0100})),
            "-1 =4;1 =9;2 =2;");
  EXPECT_EQ(by("bool", npy<uint8_t>("|b1", "(4,)", {1, 0, 7, 0})), "false =10;true =5;");
  EXPECT_EQ(by("bytes", npy<char>("|S3", "(4,)", {'b', 0, 0, 'a', 'b', 'c', 'a', 0, 0, 'b', 0, 0})),
            "a =4;abc =2;b =9;");
  EXPECT_EQ(by("text", npy<uint32_t>("<U2", "(4,)", {0x1f600, 0, 0xe9, 'z', 'z', 0, 0xe9, 'z'})),
            "z =4;\xc3\xa9z =10;\xf0\x9f\x98\x80 =1;");
}

TEST(ArrayGroups, FoldColumnsBySeveralKeysAndFiles) {
  const Scratch folder;
  const auto k = folder.write("k.npy", npy<int32_t>("<i4", "(3,)", {2, 1, 2}));
  const auto l = folder.write("l.npy", npy<char>("|S1", "(3,)", {'x', 'x', 'x'}));
  const auto a = folder.write("a.npy", npy<float>("<f4", "(1, 2)", {1, 10}));
  const auto b = folder.write("b.npy", npy<float>("<f4", "(2, 2)", {2, 20, 4, 40}));
  io::InputOptions input;
  const io::Grouped g = io::group_files({"sum", {}}, {a, b}, {.guess = true, .by = l + "," + k});
  EXPECT_EQ(g.by, (std::vector<std::string>{"l", "k"}));
  EXPECT_EQ(g.columns, (std::vector<std::string>{"0", "1"}));
  ASSERT_EQ(g.keys.size(), 2u);
  EXPECT_EQ(g.answers.list[0][2].as<float>(), 5);
  EXPECT_EQ(g.answers.list[0][3].as<float>(), 50);
}

// Each group's answer equals the fold of its numbers alone, over many pieces.
TEST(ArrayGroups, GiveWhatEachGroupGivesAlone) {
  const Scratch folder;
  Random random(3);
  std::map<int64_t, std::vector<double>> right;
  std::vector<int64_t> keys;
  std::vector<double> x;
  for (int i = 0; i < 300000; ++i) {
    keys.push_back(static_cast<int64_t>(random() % 5000) - 2500);
    x.push_back(static_cast<double>(static_cast<int64_t>(random())) * 1e-12);
    right[keys.back()].push_back(x.back());
  }
  const auto k = folder.write("k.npy", npy<int64_t>("<i8", "(300000,)", keys));
  const auto file = folder.write("x.npy", npy<double>("<f8", "(300000,)", x));
  for (const int threads : {1, 3}) {
    const io::Grouped g = group("mean,var,max", k, {file}, {}, threads);
    ASSERT_EQ(g.keys.size(), right.size());
    Size at = 0;
    for (const auto& [key, list] : right) {
      ASSERT_EQ(g.keys[at], std::to_string(key));
      const Answers alone = fold("mean,var,max", list);
      for (std::size_t op = 0; op < 3; ++op) {
        ASSERT_EQ(g.answers.list[op][at], alone.list[op].only()) << key;
      }
      ++at;
    }
  }
}

TEST(ArrayGroups, RefuseWhatDoesNotFit) {
  const Scratch folder;
  const auto k = folder.write("k.npy", npy<int64_t>("<i8", "(3,)", {1, 2, 3}));
  const auto f = folder.write("f.npy", npy<double>("<f8", "(4,)", {1, 2, 4, 8}));
  const auto cube = folder.write("c.npy", npy<uint8_t>("|u1", "(1, 1, 1)", {1}));
  const auto text = folder.write("t.txt", "1 2 3 4\n");
  const auto long_key = folder.write(
      "long.npy", npy_header(test::npy_dict("<U1000000", {4})) + std::string(16000000, '\0'));
  expect_error(ErrorCode::shape_mismatch, {"(3,)", "4"}, [&] { group("sum", k, {f}); });
  expect_error(ErrorCode::unsupported, {"f64", "integers"}, [&] { group("sum", f, {f}); });
  expect_error(ErrorCode::unsupported, {"4000000 bytes"}, [&] { group("sum", long_key, {f}); });
  expect_error(ErrorCode::unsupported, {"(1, 1, 1)"}, [&] { group("sum", k, {cube}); });
  expect_error(ErrorCode::unsupported, {"--by"}, [&] { group("sum", k, {text}); });
  expect_error(ErrorCode::unsupported, {"elements of type '<U1000000'"},
               [&] { group("sum", k, {long_key}); });
  io::Limits small;
  small.state_bytes = 10;
  expect_error(ErrorCode::out_of_memory, {"4 groups", "--memory"}, [&] {
    group("sum", folder.write("k4.npy", npy<int64_t>("<i8", "(4,)", {1, 2, 3, 4})), {f}, small);
  });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
