// Headers of .npy files: all that NumPy writes for foldable types, and a clear error for everything
// else.
#include <gtest/gtest.h>

#include <vector>

#include "io/files.hpp"
#include "onefold/io/format.hpp"
#include "onefold/io/python_literal.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::npy_dict;
using test::npy_header;
using test::Scratch;

// Returns how a file is read: "f64 (2, 3) C offset 96", or the error.
std::string read(const std::string& bytes, const io::InputOptions& options = {}) {
  const Scratch folder;
  const std::string path = folder.write("x.npy", bytes);
  std::string out;
  std::string error = test::error_of([&] {
    io::File file(path);
    const io::DenseArray a = io::choose_format(file, path, options).open(file, options);
    out = std::string(name_of(a.dtype)) + " " + to_string(a.shape) + (a.fortran ? " F" : " C") +
          (a.swapped ? " swapped" : "") + " offset " + std::to_string(a.offset);
  });
  if (const auto at = error.find(path); at != std::string::npos) {
    error.replace(at, path.size(), "F");
  }
  return error.empty() ? out : error;
}

std::string read_dict(const std::string& dict) {
  return read(npy_header(dict) + std::string(64, '\0'));
}

bool begins(const std::string& s, const std::string& with) {
  EXPECT_EQ(s.substr(0, with.size()), with);
  return s.starts_with(with);
}

TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  for (int k = 0; k < dtype_count; ++k) {
    const auto t = static_cast<DType>(k);
    if (t == bf16) continue;
    for (const bool swapped : {false, true}) {
      const std::string dict = npy_dict(test::descr_of(t, swapped), {2, 3});
      const std::string expected = std::string(name_of(t)) + " (2, 3) C" +
                                   (swapped && bytes_of(t) > 1 ? " swapped" : "") + " offset " +
                                   std::to_string(10 + dict.size());
      EXPECT_EQ(read_dict(dict), expected);
    }
  }
}

TEST(Npy, ReadsVersionsOneToThree) {
  const std::string dict = npy_dict("<f4", {3});
  EXPECT_EQ(read(npy_header(dict, 1) + std::string(12, '\0')),
            "f32 (3,) C offset " + std::to_string(10 + dict.size()));
  for (const int version : {2, 3}) {
    EXPECT_EQ(read(npy_header(dict, version) + std::string(12, '\0')),
              "f32 (3,) C offset " + std::to_string(12 + dict.size()));
  }
  for (const int version : {0, 4, 200}) {
    EXPECT_TRUE(begins(read(npy_header(dict, version)), "unsupported: read F: .npy version "));
  }
}

TEST(Npy, ReadsTheDictHoweverPythonWritesIt) {
  for (const char* dict :
       {"{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }",
        "{'shape':(2,3),'fortran_order':True,'descr':'<i2'}",
        "{ \"descr\" : \"<i2\" , \"shape\" : ( 2 , 3 , ) , 'fortran_order' : True , }   \n",
        "{'descr': '<i2', 'fortran_order': True, 'shape': (2L, 3L), }"}) {
    EXPECT_TRUE(begins(read_dict(dict), "i16 (2, 3) F offset ")) << dict;
  }
  EXPECT_TRUE(begins(read_dict(npy_dict("<f8", Dims())), "f64 () C"));
  EXPECT_TRUE(begins(read_dict("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5), }"),
                     "f64 (0, 5) C"));
}

TEST(Npy, RefusesADictThatMakesNoSense) {
  const std::string whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"{", ""},
                                                        {"}", ""},
                                                        {"}", "} x"},
                                                        {"'descr'", "descr"},
                                                        {"'descr'", "'x'"},
                                                        {": '", " '"},
                                                        {"'<f8', ", ""},
                                                        {"(1,)", "(1)"},
                                                        {"(1,)", "1"},
                                                        {"(1,)", "[1]"},
                                                        {"(1,)", "(1,,)"},
                                                        {"(1,)", "(-1,)"},
                                                        {"(1,)", "(x,)"},
                                                        {"(1,)", "(1 2)"},
                                                        {"(1,)", "(1.0,)"},
                                                        {"(1,)", "(0x1,)"},
                                                        {"(1,)", "(1,"},
                                                        {"False", "false"},
                                                        {"False", "0"},
                                                        {"False", "None"},
                                                        {"False,", "False"},
                                                        {"'<f8'", "'<f8"},
                                                        {"'<f8'", "'\\x3cf8'"},
                                                        {"'shape'", "'descr'"},
                                                        {"(1,)", "(9223372036854775808,)"},
                                                        {"(1,)", "(9223372036854775807,)"},
                                                        {"(1,)", "(4294967296, 4294967296)"},
                                                        {"'<f8'", "'<f9'"},
                                                        {"'<f8'", "''"},
                                                        {"'<f8'", "'f8'"},
                                                        {"'<f8'", "'|f8'"},
                                                        {"'<f8'", "'<x8'"},
                                                        {"'<f8'", "f8"},
                                                        {"'<f8'", "3"}}) {
    std::string dict = whole;
    dict.replace(dict.find(from), from.size(), to);
    const std::string e = read_dict(dict);
    EXPECT_TRUE(e.starts_with("bad_header: read F: ") ||
                (e.starts_with("unsupported") && to == "'<f9'"))
        << dict << "\n"
        << e;
  }
  EXPECT_TRUE(begins(read_dict(""), "bad_header: "));
  EXPECT_TRUE(begins(read_dict(std::string(100, '\0')), "bad_header: "));
  EXPECT_TRUE(begins(read_dict("{}"),
                     "bad_header: read F: the header is invalid: the key 'descr' is missing"));
  EXPECT_TRUE(begins(read_dict(std::string(5000, '(')), "bad_header: "));
}

TEST(Npy, SaysWhichTypesCannotBeFolded) {
  for (const char* descr : {"'<c8'", "'>c16'", "'|O'", "'<U5'", "'|S3'", "'<M8[ns]'", "'<m8'",
                            "'|V4'", "'<f16'", "[('a', '<f8'), ('b', '<i4')]", "('<f8', (2,))"}) {
    EXPECT_TRUE(begins(
        read_dict("{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (1,), }"),
        descr[2] == 'c' ? "unsupported: read F: its elements are complex numbers"
                        : "unsupported: read F: elements of "))
        << descr;
  }
}

TEST(Npy, SaysWhatToWriteWhereNumpyLeavesATypesNameOut) {
  const auto says = [](const std::string& descr) {
    return read_dict("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }");
  };
  for (const char* descr : {"|V1", "<V1"}) {
    EXPECT_NE(says(descr).find("save x.astype('f4'), or in Python pass numpy.load"),
              std::string::npos);
  }
  EXPECT_NE(says("<f1").find("NumPy writes float8_e5m2 like this"), std::string::npos);
  EXPECT_NE(says("<V2").find("NumPy writes bfloat16 like this"), std::string::npos);
  EXPECT_EQ(says("|V4").find("NumPy writes"), std::string::npos);
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  EXPECT_TRUE(begins(read("1 2 3 4 5 6\n"), "bad_header: read F: it does not begin"));
  EXPECT_EQ(read(""), "truncated: read F: the file ends within its header, after 0 bytes");
  const std::string good = npy_header(npy_dict("<f8", {2})) + std::string(16, '\0');
  for (std::size_t n = 1; n < good.size(); ++n) {
    EXPECT_TRUE(begins(read(good.substr(0, n)), "truncated: read F: ")) << n;
  }
  EXPECT_EQ(
      read(good.substr(0, good.size() - 1)),
      "truncated: read F: the header promises 16 bytes of data, but the file has only 15; the file "
      "is cut short");
  std::string huge = npy_header(npy_dict("<f8", {2}), 2);
  huge.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(read(huge),
            "bad_header: read F: the header claims to have 4294967295 bytes; at most 1048576 are "
            "read");
}

TEST(Npy, RefusesMoreThan16Dimensions) {
  std::string shape = "(";
  for (int d = 0; d < 17; ++d) shape += "1, ";
  EXPECT_EQ(read_dict("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "), }"),
            "unsupported: read F: the array has 17 dimensions; at most 16 are possible");
}

TEST(Npy, AgreesWithTheOptions) {
  const std::string file = npy_header(npy_dict("<f4", {3})) + std::string(12, '\0');
  EXPECT_TRUE(begins(read(file, {.dtype = f32}), "f32 (3,)"));
  EXPECT_EQ(
      read(file, {.dtype = f64}),
      "type_mismatch: read F: the file holds f32, but --dtype asks for f64; leave --dtype out");
  EXPECT_TRUE(begins(read(file, {.shape = Dims(3)}), "bad_option: read F: --shape applies on"));
  EXPECT_TRUE(begins(read(file, {.offset = 3}), "bad_option: read F: --offset applies on"));
}

TEST(PythonLiteral, StopsAtAStructuredType) {
  io::NpyDict dict;
  std::string why;
  EXPECT_TRUE(io::parse_npy_dict("{'descr': [('a', '<f8')], 'shape'", dict, why));
  EXPECT_TRUE(dict.structured);
}

// NumPy also says "array is too big", even if another extent is 0.
TEST(Npy, RefusesExtentsThatAreTooLargeTogetherBesideAZero) {
  const Scratch folder;
  const auto error = [&](const std::string& shape) {
    const std::string dict = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
    const std::string path = folder.write("x.npy", test::npy_header(dict));
    return test::error_of([&] { io::fold_files("count", {path}, {}); });
  };
  for (const char* shape : {"(0, 9223372036854775807, 9223372036854775807)",
                            "(9223372036854775807, 0)", "(4611686018427387904, 0, 2)"}) {
    EXPECT_TRUE(error(shape).starts_with("bad_header")) << shape << error(shape);
  }
  EXPECT_EQ(error("(0, 576460752303423488)"), "");
  // An array without elements needs no bytes after the header.
  EXPECT_EQ(error("(0, 1152921504606846975)"), "");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
