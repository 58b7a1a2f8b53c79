// Writes what --json prints: an object; for groups one object a line.
#include "cli/answer_format.hpp"

namespace onefold::cli {
namespace {

void write(OutputFile& file, const AnswerTable& table, const std::string&, int) {
  Writer out(&file);
  table.json(out);
  out.flush();
}

}  // namespace

const AnswerFormat answer_format::json{
    .endings = ".json .jsonl", .missing = nullptr, .write = write, .in_parts = true};

}  // namespace onefold::cli
