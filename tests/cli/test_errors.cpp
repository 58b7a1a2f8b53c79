// Every kind of error: one line on stderr, the status of the table, nothing on stdout.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/program.hpp"
#include "onefold/error.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// `says` must be part of the line.
void expect_error(const Ran& ran, ErrorCode code, const std::string& says) {
  EXPECT_EQ(ran.status, exit_status(code)) << ran.error;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.error.substr(0, 9), "onefold: ");
  EXPECT_EQ(ran.error.find('\n'), ran.error.size() - 1) << ran.error;
  EXPECT_NE(ran.error.find(says), std::string::npos) << ran.error;
}

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  std::string stdin_text;
  ErrorCode code;
  std::string says;
};

void PrintTo(const Case& c, std::ostream* out) {
  for (const std::string& a : c.arguments) *out << a << ' ';
}

class Errors : public testing::TestWithParam<Case> {};

TEST_P(Errors, AreOneLineAndAStatus) {
  const Case& c = GetParam();
  expect_error(run_program(c.arguments, {.stdin_text = c.stdin_text}), c.code, c.says);
}

using enum ErrorCode;
const std::string npy_of_f8 = npy("<f8", "(2, 2)", std::string(32, '\0'));
const Case cases[] = {
    {"NoArguments", {}, "", bad_option, "onefold --help"},
    {"UnknownVerb", {"descrieb"}, "", unknown_op, "did you mean describe?"},
    {"UnknownOp", {"sun"}, "", unknown_op, "did you mean sum?"},
    {"UnknownWord", {"xyzzy"}, "", unknown_op, "the ops are all, any"},
    {"UnknownSecondOp", {"sum,meen"}, "", unknown_op, "did you mean mean?"},
    {"FileInsteadOfOp", {"/dev/null"}, "", unknown_op, "onefold describe /dev/null"},
    {"OpInsteadOfFile", {"sum", "mean"}, "", bad_option, "sum,mean"},
    {"OpTwice", {"sum,sum"}, "", bad_option, "twice"},
    {"Mode", {"mode"}, "1", unknown_op, "mode cannot be folded: it needs all values at once"},
    {"MedianBesideAnOp", {"sum,median"}, "1", unknown_op, "median cannot be folded"},
    {"Prod",
     {"prod"},
     "1",
     unknown_op,
     "prod cannot be folded: the exact product has as many digits"},
    {"Cumsum",
     {"sum,cumsum"},
     "1",
     unknown_op,
     "cumsum cannot be folded: it returns an answer for each"},
    {"OpThatLeavesNanOut",
     {"nanmean"},
     "1",
     unknown_op,
     "onefold mean --nan omit FILE, which leaves NaN"},
    {"NoOpIsMeant", {"cumsm"}, "1", unknown_op, "called \"cumsm\"; the"},
    {"HelpOfMode", {"help", "mode"}, "", unknown_op, "onefold text mode FILE"},
    {"EmptyOp", {"sum,"}, "", bad_option, "empty op name"},
    {"UnknownOption", {"sum", "--axsi", "0"}, "", bad_option, "did you mean --axis?"},
    {"OptionOfAnotherVerbIsNotMeant", {"mean", "--chup", "1"}, "", bad_option, "no option --chup;"},
    {"OptionOfTheVerbIsMeant", {"lab", "--chap", "1"}, "", bad_option, "did you mean --chip?"},
    {"ShortOption", {"sum", "-x"}, "", bad_option, "-x"},
    {"OptionOfAnotherVerb", {"info", "--axis", "0"}, "", bad_option, "--axis does not apply"},
    {"OptionTwice", {"sum", "--axis", "0", "--axis", "1"}, "", bad_option, "twice"},
    {"OptionWithoutValue", {"sum", "--axis"}, "", bad_option, "--axis needs a value"},
    {"OptionWithEmptyValue", {"sum", "--axis="}, "", bad_option, "--axis needs a value"},
    {"OptionWithEmptyValueBeforeAFile",
     {"sum", "--output=", "data.npy"},
     "1",
     bad_option,
     "--output needs a value"},
    {"FlagWithValue", {"sum", "--json=no"}, "", bad_option, "--json takes no value"},
    {"AxisNoNumber", {"sum", "--axis", "x"}, "1", bad_option, "such as 0,2"},
    {"AxisHugeNumber", {"sum", "--axis", "99999999999999999999"}, "1", bad_option, "--axis"},
    {"ShapeNoNumber", {"sum", "--shape", "2*3"}, "1", bad_option, "1000x4"},
    {"ShapeNegative", {"sum", "--shape", "2x-3"}, "1", bad_option, "1000x4"},
    {"OffsetNegative", {"sum", "--offset", "-1"}, "1", bad_option, "--offset"},
    {"FormatUnknown", {"sum", "--format", "csv"}, "1", bad_option, "choose one of jsonl, npy, "},
    {"DtypeUnknown", {"sum", "--dtype", "f65"}, "1", bad_option, "f16, bf16, f32, f64"},
    {"DtypeUnclear",
     {"sum", "--dtype", "float"},
     "1",
     bad_option,
     "write f32 (float in C) or f64 (float in Python)"},
    {"ResultBigEndian", {"sum", "--result", ">f8"}, "1", bad_option, "choose one of bool"},
    {"PrecisionNone", {"sum", "--precision", "0"}, "1", bad_option, "from 1 to 17"},
    {"VersionOfAFile", {"version", "x"}, "", bad_option, "takes no arguments"},
    {"Xz", {"sum"}, {"\xfd\x37zXZ\0..", 8}, truncated, "compressed with xz end early"},
    {"Zstd", {"sum"}, "\x28\xb5\x2f\xfd..", truncated, "compressed with zstd end early"},
    {"Bzip2", {"sum"}, "BZh91AY&SY", truncated, "compressed with bzip2 end early"},
    {"Parquet", {"sum"}, "PAR1....PAR1", needs_seek, "parquet data must be read from a file"},
    {"Arrow", {"sum"}, {"ARROW1\0\0", 8}, needs_seek, "arrow data must be read from a file"},
    {"Hdf5", {"sum"}, "\x89HDF\r\n\x1a\n", needs_seek, "hdf5 data must be read from a file"},
    {"State", {"sum"}, "onefold-parts 1\n1fold\r\n\2", unsupported, "onefold help answer"},
    {"ThousandsUntold", {"sum"}, "1,000\n", bad_token, "--thousands ,"},
    {"DecimalUntold", {"sum"}, "1,5\n", bad_token, "--decimal ,"},
    {"SemicolonsUntold", {"sum"}, "1,5;2\n", bad_token, "\"1,5;2\" can be read in two ways; pass"},
    {"LooseThousandsUntold",
     {"sum", "--numbers", "loose"},
     "$1,000\n$2,000\n",
     bad_token,
     "can be read in two ways; pass --thousands ,"},
    {"LooseDecimalUntold",
     {"mean", "--numbers", "loose"},
     "12,5%\n\xe2\x82\xac"
     "13,5\n",
     bad_token,
     "can be read in two ways; pass"},
    {"LooseBlanksUntold",
     {"sum", "--numbers", "loose"},
     "$1 000\n$2 000\n",
     bad_token,
     "pass --thousands \" \""},
    {"RowsWithoutAHeader",
     {"sum"},
     "5.1,0.2,Iris\n4.9,0.2,Iris\n",
     bad_token,
     "line 1, column 3: \"Iris\" is not a number; pass --header yes if"},
    {"Comments", {"sum"}, "# made by x\n# y\na,b\n1,2\n", bad_token, "grep -v '^#'"},
    {"ColumnUnknownByItsNumber",
     {"sum", "--columns", "3"},
     "a,b\n1,2\n",
     bad_option,
     "\"3\"; its 2"},
    {"HeaderUnknown", {"sum", "--header", "maybe"}, "1", bad_option, "auto, yes, no"},
    {"DelimiterIsADigit", {"sum", "--delimiter", "1"}, "1", bad_option, "tab, space, pipe"},
    {"DelimiterIsTheDecimalMark",
     {"sum", "--delimiter", ",", "--decimal", ","},
     "1",
     bad_option,
     "the same character"},
    {"BadLinesUnknown", {"sum", "--bad-lines", "fix"}, "1", bad_option, "error, skip"},
    {"DecimalUnknown", {"sum", "--decimal", ";"}, "1", bad_option, "write , or ."},
    {"ThousandsUnknown", {"sum", "--thousands", "x"}, "1", bad_option, "separator of thousands"},
    {"ColumnsOfAnArray",
     {"sum", "--columns", "1"},
     npy_of_f8,
     bad_option,
     "--columns applies only to text tables, but this file is not one"},
    {"ColumnUnknown",
     {"sum", "--columns", "tmp"},
     "temp,b\n1,2\n",
     bad_option,
     "did you mean temp?"},
    {"DotOfATable", {"dot", "-", "/dev/null"}, "a,b\n1,2\n", unsupported, "but this is a table"},
    {"RaggedNumbersWithAnAxis",
     {"mean", "--axis", "0"},
     "1 2 3\n4 5 6 7\n8 9 10\n",
     bad_token,
     "line 2, column 4: there are 4 or more fields, but the first line has 3"},
    {"MemoryTooLittle", {"sum", "--memory", "1MB"}, "1", bad_option, "32MiB or more"},
    {"MemoryNoNumber", {"sum", "--memory", "lots"}, "1", bad_option, "such as 500MB"},
    {"KeepGoingOfOneAnswer",
     {"sum", "--keep-going"},
     "1",
     bad_option,
     "--keep-going applies only to --each"},
    {"OutputOfEach",
     {"sum", "--each", "--output", "x.npy"},
     "1",
     bad_option,
     "--each prints an answer"},
    {"FilesFromBesideAFile", {"sum", "--files-from", "-", "x"}, "1", bad_option, "was named too"},
    {"FilesFromStdinThatNamesStdin",
     {"sum", "--each", "--files-from", "-"},
     "-\n",
     bad_option,
     "so no name can be - (stdin)"},
    {"ShareOfAPipe",
     {"gather", "sum", "--share", "1/2", "--state", "pipe.of"},
     "1\n2\n",
     bad_option,
     "--share of stdin (-): a pipe cannot be divided into shares"},
    {"FilesFromZeros",
     {"sum", "--files-from", "/dev/zero"},
     "",
     bad_option,
     "a name in it is empty"},
    {"FilesFromALongName",
     {"sum", "--files-from", "-"},
     "a\n" + std::string(5000, 'x'),
     bad_option,
     "a name in it has more than 4096 bytes"},
    {"FilesFromNothing", {"sum", "--files-from", "-"}, "", bad_option, "contains no file names"},
    {"RaggedTable", {"sum"}, "a,b\n1,2\n3\n", bad_token, "line 3, column 2 (b): there is 1 field"},
    {"NanUnknown", {"sum", "--nan", "skip"}, "1", bad_option, "omit"},
    {"DdofNoNumber", {"var", "--ddof", "one"}, "1", bad_option, "one"},
    {"DdofOfNoUse", {"max,moment3", "--ddof", "1"}, "1", bad_option, "max,moment3"},
    {"DdofTooFine", {"var", "--ddof", "1e-10"}, "1", bad_option, "1e-10"},
    {"DdofAndCorrection", {"var", "--ddof", "1", "--correction", "0"}, "1", bad_option, "differ"},
    {"DeviceUnknown", {"sum", "--device", "gpu"}, "1", bad_option, "cuda"},
    {"ThreadsNegative", {"sum", "--threads", "-2"}, "1", bad_option, "--threads"},
    {"ThreadsAbsurd", {"sum", "--threads", "1000000"}, "1", bad_option, "1024"},
    {"TargetUnknown", {"sum", "--target", "avx9"}, "1", bad_option, "portable"},
    {"ProgressUnknown", {"sum", "--progress", "yes"}, "1", bad_option, "auto, always, never"},
    {"OutputNotNpy", {"sum", "--output", "x.txt"}, "1", bad_option, ".npy"},
    {"OutputOfNoFormat", {"sum", "--output", "x.txt"}, "1", bad_option, ".csv .tsv .json"},
    {"OutputAndJson", {"sum", "--json", "--output", "x.npy"}, "1", bad_option, "one of them"},
    {"ResultNoInteger", {"mean", "--result", "i32"}, "1", bad_option, "floating-point"},
    {"StdinTwice", {"sum", "-", "-"}, "1", bad_option, "twice"},
    {"DotOfOneFile", {"dot"}, "1", bad_option, "dot"},
    {"RawWithoutDtype", {"sum", "--format", "raw"}, "1", bad_option, "--dtype"},
    {"ExplainWithoutOp", {"explain"}, "", bad_option, "explain needs an op"},
    {"ExplainUnknownOp", {"explain", "sun"}, "", unknown_op, "did you mean sum?"},
    {"ThousandsAlongAxes", {"sum", "--axis", "0"}, "1,000\n12,500\n", bad_token, "--thousands ,"},
    {"HelpUnknown", {"help", "sun"}, "", unknown_op, "did you mean sum?"},
    {"HelpOfTwo", {"help", "sum", "mean"}, "", bad_option, "one word: a verb, an op or an option"},
    {"InfoOfNoFile", {"info", "/nonexistent/x"}, "", cannot_open, "/nonexistent/x"},
    {"AxisOutOfRange", {"sum", "--axis", "2"}, "1 2 3", bad_axis, "legal axes are -2..1"},
    {"AxisOfDescribe", {"describe", "--axis", "3"}, "1 2", bad_axis, "onefold: describe: axis 3"},
    {"AxisTwice", {"sum", "--axis", "0,-2"}, "1 2 3", bad_axis, "twice"},
    {"Cuda", {"sum", "--device", "cuda:99"}, "1", no_backend, "cuda:99"},
    {"CudaOfNothing", {"sum", "--device", "cuda:99"}, "", no_backend, "cuda:99"},
    {"CudaOfNoNumbers", {"count", "--device", "cuda:99"}, "\n", no_backend, "cuda:99"},
    {"ExplainCuda", {"explain", "sum", "--device", "cuda:99"}, "1", no_backend, "cuda:99"},
    {"NpyOfAnotherType", {"sum", "--dtype", "f32"}, npy_of_f8, type_mismatch, "f64"},
    {"Overflow", {"sum", "--dtype", "u64"}, "18446744073709551615 1", overflow, "does not fit u64"},
    {"OverflowOfAnElement",
     {"sum", "--result", "i8", "--dtype", "i64", "--axis", "0"},
     "1 2\n3 200\n",
     overflow,
     "sum of element [1]"},
    {"NanInAColumn", {"sum", "--nan", "raise"}, "a,temp\n1,NA\n", nan_found, "sum of column temp:"},
    {"NanInAGroup",
     {"sum", "--nan", "raise", "--by", "k,l"},
     "k,l,v\na,b,1\nc,d,NA\n",
     nan_found,
     "sum of column v, group c d:"},
    {"EmptyColumn", {"max", "--nan", "omit"}, "a,b\n1,NA\n2,-\n", empty_input, "max of column b:"},
    {"EmptyFileOfMany", {"max", "--each", "-"}, "", empty_input, "max of -:"},
    {"NanFound", {"max,sum", "--nan", "raise"}, "1 nan", nan_found, "max: "},
    {"NanFoundInARow", {"sum", "--nan", "raise", "--axis", "1"}, "1 2\n3 nan\n", nan_found, "[1]"},
    {"EmptyInput", {"min"}, "", empty_input, "min"},
    {"ValueThenFile",
     {"sum", "--format", "text", "/nonexistent/x"},
     "",
     cannot_open,
     "/nonexistent"},
    {"Missing", {"sum", "/nonexistent/x.npy"}, "", cannot_open, "/nonexistent/x.npy"},
    {"Folder", {"sum", "/proc/self/ns"}, "", cannot_open, "the folder contains no tables"},
    {"EmptyName", {"sum", ""}, "", cannot_open, ""},
    {"FailedRead",
     {"sum", "--format", "text", "/proc/self/mem"},
     "",
     read_failed,
     "/proc/self/mem"},
    {"TruncatedNpy", {"sum"}, npy("<f8", "(9,)", "too short"), truncated, "72"},
    {"BadHeader", {"sum"}, npy("<f8", "(1", "12345678"), bad_header, "header"},
    {"ObjectNpy", {"sum"}, npy("|O", "(1,)", "12345678"), unsupported, ""},
    {"BadToken", {"sum"}, "1 2\n3 x4\n", bad_token, "x4"},
    {"OutOfRange", {"sum"}, "1e999", out_of_range, "1e999"},
    {"NeedsSeek",
     {"sum", "--memory", "100MB", "--dtype", "u8", "--format", "raw", "--shape", "9x90000000",
      "--axis", "0"},
     "",
     needs_seek,
     ""},
    {"ExplainNeedsSeek",
     {"explain", "sum", "--memory", "100MB", "--dtype", "u8", "--format", "raw", "--shape",
      "9x90000000", "--axis", "0"},
     "",
     needs_seek,
     ""},
    {"ExplainDescribeResult",
     {"explain", "describe", "--result", "f32"},
     "1",
     bad_option,
     "--result does not apply to describe"},
    {"LabOfTwo", {"lab", "reduce", "banks"}, "", bad_option, "one experiment at a time"},
};
INSTANTIATE_TEST_SUITE_P(Program, Errors, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ErrorLine, StaysOneLineWhateverAFileIsCalled) {
  expect_error(run_program({"sum", "no\nsuch\x1b[31mfile"}), cannot_open, "no?such?[31mfile");
}

TEST(ErrorStatus, OfFilesThatDoNotFitTogetherIsShapeMismatch) {
  const Folder folder;
  const std::string a = folder.write("a.txt", "1 2\n3 4\n"),
                    b = folder.write("b.txt", "1 2 3\n4 5 6\n");
  expect_error(run_program({"sum", a, b}), shape_mismatch, "(2, 3)");
}

TEST(ErrorStatus, OfAFileThatMayNotBeReadIsCannotOpen) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Folder folder;
  const std::string file = folder.write("a.txt", "1");
  ::chmod(file.c_str(), 0);
  expect_error(run_program({"sum", file}), cannot_open, file);
}

TEST(ErrorStatus, OfAnswersLargerThanMemoryIsOutOfMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs the address space";
#endif
  const Folder folder;
  const std::string file = folder.write("x.bin", "");
  ASSERT_EQ(::truncate(file.c_str(), 100'000'000), 0);
  const Surroundings small{.in_child = [] {
    const rlimit limit{512 << 20, 512 << 20};
    ::setrlimit(RLIMIT_AS, &limit);
  }};
  expect_error(
      run_program({"sum", "--dtype", "u8", "--shape", "100000000x1", "--axis", "1", file}, small),
      out_of_memory, "memory");
}

TEST(ErrorStatus, OfAClosedPipeIsCannotWriteWithoutAWord) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  ::close(pipe[0]);
  for (const char* word : {"sum", "--help"}) {
    const Ran ran = run_program({word}, {.stdin_text = "1", .out = pipe[1]});
    EXPECT_EQ(ran.status, exit_status(cannot_write));
    EXPECT_EQ(ran.error, "");
  }
  ::close(pipe[1]);
}

TEST(ErrorStatus, OfAFullDiskIsCannotWrite) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  for (const char* verb : {"sum", "describe", "info", "help"}) {
    expect_error(run_program({verb}, {.out = full}), cannot_write, "No space left");
  }
  ::close(full);
}

TEST(ErrorStatus, OfAClosedStdoutIsCannotWrite) {
  expect_error(run_program({"sum"}, {.stdin_text = "1", .out_closed = true}), cannot_write,
               "stdout");
}

TEST(ErrorStatus, OfAClosedStdinIsAnErrorOfReading) {
  const Ran ran = run_program({"sum"}, {.stdin_closed = true});
  EXPECT_TRUE(ran.status == exit_status(read_failed) || ran.status == exit_status(cannot_open))
      << ran.error;
  EXPECT_EQ(ran.out, "");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
