// Wrong requests are errors before any work; failures that depend on the data are statuses.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/onefold.hpp"
#include "oracle/pair.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::caught;
using test::Caught;
using test::expect_error;

const std::vector<double> x{1, 2, 3, 4, 5, 6};
const ArrayRef matrix(x.data(), f64, {2, 3});

TEST(Errors, NameAnUnknownOpAndAllKnownOnes) {
  expect_error(ErrorCode::unknown_op, {"medium", "argmin", "mean", "var"},
               [] { fold("medium", matrix); });
  expect_error(ErrorCode::unknown_op, {"median cannot be folded: it needs all values at once"},
               [] { fold("mean,median", matrix); });
  expect_error(ErrorCode::unknown_op,
               {"prod cannot be folded: the exact product has as many digits"},
               [] { fold("prod", matrix); });
  expect_error(ErrorCode::unknown_op, {"Sum"}, [] { fold("Sum", matrix); });
  expect_error(ErrorCode::bad_option, {"sum,"}, [] { fold("sum,", matrix); });
  expect_error(ErrorCode::unknown_op, {"mean"}, [] { fold("sum", matrix)["mean"]; });
}

TEST(Aliases, AnswerAsTheOpsThatTheyStandFor) {
  for (const auto& [alias, op] : {std::pair("avg", "mean"), {"stddev", "std"}, {"n", "count"}}) {
    const Answers answers = fold(alias, matrix);
    EXPECT_EQ(answers.list[0].op, op);
    EXPECT_EQ(answers[alias].data, fold(op, matrix)[op].data);
  }
  EXPECT_EQ(fold("stddev", matrix, {.ddof = 1}).list[0].data,
            fold("std", matrix, {.ddof = 1}).list[0].data);
  // Average is an op of its own, which takes weights.
  EXPECT_EQ(fold("average", matrix, matrix).list[0].op, "average");
  expect_error(ErrorCode::bad_option, {"names mean twice"}, [] { fold("mean,avg", matrix); });
}

TEST(Errors, RefuseListsWithHolesOrDoubles) {
  for (const char* ops : {"", ",", "sum,,mean", ",sum", "sum,sum", "mean,sum,mean"}) {
    expect_error(ErrorCode::bad_option, {ops}, [&] { fold(ops, matrix); });
  }
}

TEST(Errors, NameTheAxisTheShapeAndTheLegalAxes) {
  expect_error(ErrorCode::bad_axis, {"sum", "axis 2", "(2, 3)", "-2..1"},
               [] { fold("sum", matrix, {.axes = {2}}); });
  expect_error(ErrorCode::bad_axis, {"axis -3"}, [] { fold("sum", matrix, {.axes = {-3}}); });
  expect_error(ErrorCode::bad_axis, {"twice"}, [] { fold("sum", matrix, {.axes = {1, 1}}); });
  expect_error(ErrorCode::bad_axis, {"twice"}, [] { fold("sum", matrix, {.axes = {1, -1}}); });
  const ArrayRef scalar(x.data(), f64, Dims());
  EXPECT_EQ(fold("sum", scalar).get<double>("sum"), 1);
  expect_error(ErrorCode::bad_axis, {"axis 0", "()"}, [&] { fold("sum", scalar, {.axes = {0}}); });
  const std::vector<int64_t> many(17, 0);
  expect_error(ErrorCode::bad_axis, {"16"},
               [&] { fold("sum", matrix, {.axes = Axes(std::span<const int64_t>(many))}); });
}

TEST(Errors, RefuseShapesThatCannotBe) {
  const auto shaped = [](Dims shape, Dims strides) {
    return ArrayRef(x.data(), f64, shape, strides);
  };
  expect_error(ErrorCode::shape_mismatch, {"(2, -1)", "negative"}, [&] {
    fold("sum", shaped({2, -1}, {8, 8}));
  });
  expect_error(ErrorCode::shape_mismatch, {"1 strides", "2 dimensions"}, [&] {
    fold("sum", shaped({2, 3}, {8}));
  });
  expect_error(ErrorCode::shape_mismatch, {"2^63"}, [&] {
    fold("sum", shaped({int64_t{1} << 32, int64_t{1} << 32}, {0, 0}));
  });
  expect_error(ErrorCode::shape_mismatch, {"2^63"}, [&] {
    fold("sum", shaped({3, 3}, {int64_t{1} << 62, 8}));
  });
  expect_error(ErrorCode::shape_mismatch, {"2^63"}, [&] {
    fold("sum", ArrayRef(x.data(), f64, {int64_t{1} << 40, int64_t{1} << 40}));
  });
  expect_error(ErrorCode::shape_mismatch, {"2^63"}, [&] {
    fold("sum", ArrayRef(x.data(), f64, {int64_t{1} << 40, int64_t{1} << 40, 0}), {.axes = {2}});
  });
  Dims seventeen;
  for (int d = 0; d < 17; ++d) seventeen.push_back(1);
  expect_error(ErrorCode::shape_mismatch, {"17", "16"},
               [&] { fold("sum", ArrayRef(x.data(), f64, seventeen)); });
  const Dims many(std::vector<int64_t>(100000, 1));
  EXPECT_EQ(many, many);
  expect_error(ErrorCode::shape_mismatch, {"100000", "16"},
               [&] { fold("sum", ArrayRef(x.data(), f64, many)); });
  expect_error(ErrorCode::bad_option, {"null"}, [] { fold("sum", ArrayRef(nullptr, f64, {3})); });
  EXPECT_EQ(fold("sum", ArrayRef(nullptr, f64, {0})).get<double>("sum"), 0);
  EXPECT_EQ(fold("sum", ArrayRef(nullptr, f64, {3, 0}), {.axes = {0}})["sum"].size(), 0u);
}

TEST(Errors, RefuseElementTypesThatAreNone) {
  for (const int number : {dtype_count, 77, 255}) {
    expect_error(ErrorCode::bad_option, {"element type number"},
                 [&] { fold("sum", ArrayRef(x.data(), static_cast<DType>(number), {2}, {8})); });
  }
}

TEST(Errors, RefuseOptionsThatAreNone) {
  for (const int number : {3, 9, 255}) {
    const Options nan{.nan = static_cast<NanPolicy>(number)};
    const Device device{static_cast<Device::Type>(number), 0};
    expect_error(ErrorCode::bad_option, {"NaN policy number", "NanPolicy"},
                 [&] { fold("sum", x, nan); });
    expect_error(ErrorCode::bad_option, {"NaN policy number"}, [&] { gather("sum", x, nan); });
    expect_error(ErrorCode::bad_option, {"device type number"},
                 [&] { fold("sum", x, {.device = device}); });
    ArrayRef elsewhere(x);
    elsewhere.device = device;
    expect_error(ErrorCode::bad_option, {"device type number"}, [&] { fold("sum", elsewhere); });
  }
}

TEST(Errors, RefuseArraysThatDoNotFitTogether) {
  const std::vector<float> y{1, 2, 3, 4, 5, 6};
  expect_error(ErrorCode::type_mismatch, {"f64", "f32"}, [&] { fold("dot", x, y); });
  expect_error(ErrorCode::shape_mismatch, {"(6,)", "(2, 3)"}, [&] { fold("dot", x, matrix); });
  expect_error(ErrorCode::bad_option, {"dot takes two arrays, but one was given"},
               [] { fold("dot", x); });
  expect_error(ErrorCode::bad_option, {"sum takes one array, but two were given"},
               [] { fold("sum", x, x); });
  expect_error(ErrorCode::bad_option, {}, [] { fold("sum,dot", x, x); });
}

TEST(Errors, RefuseWhatThisMachineHasNot) {
  expect_error(ErrorCode::no_backend, {"cuda"}, [] { fold("sum", x, {.device = cuda(99)}); });
  // Messages of the library name no options of the command line.
  const std::string advice = test::caught([] { fold("sum", x, {.device = cuda(99)}); }).message;
  EXPECT_EQ(advice.find("--"), std::string::npos) << advice;
  const std::vector<double> none;
  expect_error(ErrorCode::no_backend, {"cuda"}, [&] { fold("sum", none, {.device = cuda(99)}); });
  expect_error(ErrorCode::no_backend, {"cuda"}, [&] { gather("sum", none, {.device = cuda(99)}); });
  for (const ArrayRef& a :
       {matrix, ArrayRef(x.data(), f64, {0}), ArrayRef(x.data(), f64, {0, 3})}) {
    expect_error(ErrorCode::bad_option, {"neon", "portable"},
                 [&] { fold("sum", a, {.axes = {0}, .target = "neon"}); });
    expect_error(ErrorCode::bad_option, {"neon"}, [&] { gather("sum", a, {.target = "neon"}); });
  }
  expect_error(ErrorCode::bad_option, {"-1"}, [] { fold("sum", x, {.threads = -1}); });
}

TEST(Errors, RefuseResultTypesWithoutMeaning) {
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    const test::Data data = test::generate(test::generators(dtype)[0], dtype, 5, 1);
    const ArrayRef array(data.data(), dtype, {5});
    for (const std::string_view op : op_names()) {
      const bool two = find_op(op).about->inputs == 2;
      const oracle::Type& t_of = oracle::type(name_of(dtype));
      const oracle::Type& own = two && op != "dot" ? oracle::result_type_of_pairs(op, t_of)
                                                   : oracle::result_type(op, t_of);
      for (int r = 0; r < dtype_count; ++r) {
        const auto result = static_cast<DType>(r);
        const auto ask = [&] {
          return two ? fold(op, array, array, {.result = result})
                     : fold(op, array, {.result = result});
        };
        const bool meant = is_floating(result) || own.name == name_of(result) ||
                           (own.integer() && is_integer(result));
        if (meant) {
          EXPECT_EQ(ask()[op].dtype, result);
        } else {
          expect_error(ErrorCode::bad_option, {std::string(op).c_str(), name_of(result)}, ask);
        }
      }
      EXPECT_EQ(name_of((two ? fold(op, array, array) : fold(op, array))[op].dtype), own.name)
          << op << " of " << name_of(dtype);
    }
  }
}

TEST(Errors, RefuseOtherTypesThanTypedCallsReturn) {
  expect_error(ErrorCode::bad_option, {"sum", "f64"}, [] { sum(x, {.result = f32}); });
  EXPECT_EQ(sum(x, {.result = f64}), 21);
  expect_error(ErrorCode::bad_axis, {}, [] { sum(x, {.axes = {1}}); });
  expect_error(ErrorCode::bad_axis, {}, [] { sum(x, {.axes = Axes::none()}); });
  EXPECT_EQ(sum(x, {.axes = {-1}}), 21);
}

TEST(Errors, NameTheFieldsOfACorrectionThatIsNone) {
  for (const auto& [p, q] : {std::array<int64_t, 2>{1, 0}, {0, 0}, {1, -2}, {1, 2000000000}}) {
    Correction c;
    c.numerator = p;
    c.denominator = q;
    const auto refused = [&](auto f) { expect_error(ErrorCode::bad_option, {"var", "ddof"}, f); };
    refused([&] { fold("var", x, {.ddof = c}); });
    refused([&] { fold("var", ArrayRef(x.data(), f64, {0}), {.ddof = c}); });
    refused([&] { gather("var", x).answer("var", {.ddof = c}); });
    for (int k = 0; k < 2; ++k) {
      EXPECT_GT(var(x), 0);  // the thread remembers the request from now on
      refused([&] { var(x, {.ddof = c}); });
    }
  }
}

TEST(Errors, RefuseAStreamWithoutADevice) {
  int stream = 0;
  const Options options{.stream = &stream};
  const auto refused = [](auto f) { expect_error(ErrorCode::bad_option, {".stream", "cpu"}, f); };
  refused([&] { fold("sum", matrix, options); });
  refused([&] { gather("sum", matrix, options); });
  refused([&] { fold("sum", matrix, {.device = cpu, .stream = &stream}); });
  double out[1];
  refused([&] { fold_into(out, "sum", x, options); });
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(max(x), 6);
    refused([&] { max(x, options); });
  }
}

TEST(Errors, NameTheStridesThatAreTooLong) {
  expect_error(ErrorCode::shape_mismatch, {"(3, 3)", "strides of (4611686018427387904, 8) bytes"},
               [] {
                 fold("sum", ArrayRef(x.data(), f64, {3, 3}, {int64_t{1} << 62, 8}));
               });
  const std::string dense =
      caught([] { fold("sum", ArrayRef(x.data(), f64, {int64_t{1} << 61})); }).message;
  EXPECT_EQ(dense, "sum: shape (2305843009213693952,) spans 2^63 bytes or more");
}

TEST(Errors, NameTypesThatAreNoneByNumber) {
  const auto none = static_cast<DType>(77);
  expect_error(ErrorCode::bad_option, {"max", "number 77"},
               [&] { fold("max", x, {.result = none}); });
  expect_error(ErrorCode::bad_option, {"max", "number 77"},
               [&] { gather("max", x).answer("max", {.result = none}); });
  double out[1];
  expect_error(ErrorCode::bad_option, {"max", "number 77"},
               [&] { fold_into(OutputRef(out, none, {1}), "max", x); });
}

TEST(Errors, OfTypedCallsSayWhatWideAsksFor) {
  const std::vector<float> y{1, 2};
  for (int k = 0; k < 2; ++k) {
    expect_error(ErrorCode::bad_option, {"sum", "returns f32", ".wide", "f64", "fold(\"sum\""},
                 [&] { sum(y, {.wide = true}); });
    EXPECT_EQ(max(y, {.wide = true}), 2);
    EXPECT_EQ(sum(x, {.wide = true}), 21);
  }
}

TEST(Errors, FitOneLineWhateverIsQuoted) {
  expect_error(ErrorCode::unknown_op, {"no op"}, [] { fold("su\nm\r\x1b[2J", matrix); });
}

TEST(Errors, OfMemoryAreErrorsToo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end the program when memory runs out";
#endif
  const int8_t one = 1;
  for (const int64_t n : {int64_t{1} << 50, int64_t{1} << 60, (int64_t{1} << 61) + 1,
                          std::numeric_limits<int64_t>::max()}) {
    expect_error(ErrorCode::out_of_memory, {},
                 [&] { fold("sum", ArrayRef(&one, i8, {n}, {0}), {.axes = Axes::none()}); });
  }
}

TEST(Status, StandsBesideEachValueAndThrowsWhereItIsRead) {
  const std::vector<int64_t> y{int64_max, 1, 3, 4, int64_max, int64_max};
  const Answers a = fold("sum,max,sumsq", ArrayRef(y.data(), i64, {3, 2}), {.axes = {1}});
  EXPECT_EQ(a["sum"].status, (std::vector{Status::overflow, Status::ok, Status::overflow}));
  EXPECT_EQ(a["sum"][1].as<int64_t>(), 7);
  EXPECT_EQ(a["max"].values<int64_t>()[0], int64_max) << "one overflow does not spoil the others";
  EXPECT_EQ(a["sumsq"][1].as<uint64_t>(), 25u);
  expect_error(ErrorCode::overflow, {}, [&] { a["sum"][0].as<int64_t>(); });
  expect_error(ErrorCode::overflow, {"sum[0]"}, [&] { a["sum"].values<int64_t>(); });
  EXPECT_EQ(a["sum"][0].bits, 0u);
}

TEST(Status, TellsWhichElementIsTheFirstBadOne) {
  const std::vector<float> y{1, 2, 3, NAN, 5, NAN};
  const Answers a =
      fold("sum,count", ArrayRef(y.data(), f32, {3, 2}), {.axes = {1}, .nan = NanPolicy::raise});
  expect_error(ErrorCode::nan_found, {"sum[1]"}, [&] { a["sum"].values<float>(); });
  EXPECT_EQ(a["count"].values<int64_t>()[1], 2);
  const Answers b = fold("min", ArrayRef(y.data(), f32, {2, 0}), {.axes = {1}});
  expect_error(ErrorCode::empty_input, {"min[0]"}, [&] { b["min"].values<float>(); });
  expect_error(ErrorCode::empty_input, {"min"}, [] { min(std::vector<int>()); });
  expect_error(ErrorCode::overflow, {"sum"}, [] { sum(std::vector{int64_max, int64_max}); });
}

TEST(Status, OfEachValueIsReadAsItsOwnTypeOnly) {
  const Answers a = fold("sum,any,argmax", x);
  expect_error(ErrorCode::type_mismatch, {"f64", "f32"}, [&] { a.get<float>("sum"); });
  expect_error(ErrorCode::type_mismatch, {"f64", "i64"}, [&] { a["sum"].values<int64_t>(); });
  EXPECT_TRUE(a.get<bool>("any"));
  EXPECT_EQ(a["any"].values<Bool8>()[0].byte, 1);
  EXPECT_EQ(a.get<int64_t>("argmax"), 5);
}

TEST(Answers, OfATemporaryMayBeKept) {
  const std::vector<double> y{1, 2};
  const Answer& a = fold("sum,max", y, {.axes = Axes::none()})["max"];
  EXPECT_EQ(a.op, "max");
  EXPECT_EQ(a.values<double>()[1], 2);
}

TEST(Answers, OfOneValueAreNotThoseOfSeveral) {
  const Answers a = fold("sum", matrix, {.axes = {1}});
  expect_error(ErrorCode::shape_mismatch, {"sum", "(2,)"}, [&] { a.get<double>("sum"); });
  const Answers none = fold("sum", ArrayRef(x.data(), f64, {0, 3}), {.axes = {1}});
  expect_error(ErrorCode::shape_mismatch, {"sum", "(0,)"}, [&] { none.get<double>("sum"); });
  EXPECT_EQ(fold("sum", matrix, {.keepdims = true}).get<double>("sum"), 21);
}

TEST(Errors, RefuseAStartOfWhatIsNoPart) {
  const auto refused = [](auto f) { expect_error(ErrorCode::bad_option, {".first", "7"}, f); };
  double out[1];
  refused([] { fold("argmin", matrix, {.first = 7}); });
  refused([] { argmax(x, {.first = 7}); });
  refused([&] { fold_into(out, "sum", matrix, {.first = 7}); });
  EXPECT_EQ(gather("argmin", matrix, {.first = 7}).answer("argmin").as<int64_t>(), 7);
}

TEST(Answers, BeyondTheLastAreRefused) {
  const std::vector<double> x(6, 1);
  const Answers a = fold("sum", ArrayRef(x.data(), f64, {2, 3}), {.axes = {1}});
  EXPECT_EQ(a["sum"][1].as<double>(), 3);
  EXPECT_THROW(a["sum"][2], Error);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
