// Texts in UTF-16 are read as the same text in UTF-8.
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "io/fold_text.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// Encodes code points as UTF-16, after a byte order mark.
std::string utf16(const std::u16string& text, bool big) {
  std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
    bytes += {big ? high : low, big ? low : high};
  }
  return bytes;
}

TEST(Utf16, IsReadAsTheSameTextInUtf8) {
  for (const bool big : {false, true}) {
    const std::string table = utf16(u"city,x\nZ\u00fcrich,1\n\u6771\u4eac,2\n\U0001f600,4\n", big);
    const Ran ran = run_program({"sum", "--by", "city"}, {.stdin_text = table});
    EXPECT_EQ(ran.status, 0) << ran.error;
    EXPECT_EQ(ran.out,
              "city\tsum\nZ\xc3\xbcrich\t1\n\xe6\x9d\xb1\xe4\xba\xac\t2\n\xf0\x9f\x98\x80\t4\n");
    EXPECT_EQ(run_program({"sum"}, {.stdin_text = utf16(u"0.1\r\n0.2\r\n", big)}).out, "0.3\n");
  }
  EXPECT_EQ(run_program({"count"}, {.stdin_text = utf16(u"", true)}).out, "0\n");
}

TEST(Utf16, MayBeLongerThanAnyPiece) {
  std::u16string text = u"x,y\n";
  double right = 0;
  for (int k = 0; k < 150'000; ++k) {
    for (const char c : std::to_string(k)) text += static_cast<char16_t>(c);
    text += u",\u20ac\U00010348\n";
    right += k;
  }
  io::InputOptions input = guess();
  input.columns = "x";
  for (const bool big : {false, true}) {
    EXPECT_EQ(fold_text("sum", utf16(text, big), input).answers.get<double>("sum"), right);
  }
}

TEST(Utf16, ThatIsNoneIsRefused) {
  const auto error_of = [](const std::string& bytes) {
    return run_program({"sum"}, {.stdin_text = bytes}).error;
  };
  EXPECT_NE(error_of(utf16(u"1\n", false) + "2").find("it ends in the middle of a character"),
            std::string::npos);
  const std::u16string lone{u'1', 0xd83d, u'\n'}, last{u'1', 0xd83d};
  EXPECT_NE(error_of(utf16(lone, true)).find("has an unpaired surrogate"), std::string::npos);
  EXPECT_NE(error_of(utf16(last, true)).find("it ends in the middle of a character"),
            std::string::npos);
}

TEST(Utf16, LeavesRawDataAsTheyAre) {
  const Folder folder;
  const std::string raw = folder.write("x.bin", std::string("\xff\xfe\x01\x00", 4));
  EXPECT_EQ(run_program({"sum", "--dtype", "i16", raw}).out, "-256\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
