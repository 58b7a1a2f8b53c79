// The committed document of the ladder.
#include <gtest/gtest.h>

#include <fstream>

#include "lab/page/page.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

std::string file(const std::string& name) {
  std::ifstream in(ONEFOLD_SOURCE_DIR "/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PageDocument, IsCurrentInDocs) {
  const std::string now = page_document(page_data(reduce({.n = "2^14", .machine = "sim"}), ""));
  EXPECT_TRUE(now == file("docs/ladder.md"))
      << "run onefold lab reduce --machine sim --page docs/ladder.md";
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
