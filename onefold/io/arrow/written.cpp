#include "onefold/io/arrow/written.hpp"

#include <exception>

#include "onefold/io/arrow/loaded.hpp"

namespace onefold::io::arrow {
namespace {

struct Taker {
  const std::function<void(std::string_view)>& take;
  std::exception_ptr thrown = nullptr;  // kept, since no exception may pass through Arrow
};

bool push(void* to, const void* bytes, int64_t n) {
  auto& taker = *static_cast<Taker*>(to);
  try {
    taker.take({static_cast<const char*>(bytes), static_cast<std::size_t>(n)});
    return true;
  } catch (...) {
    taker.thrown = std::current_exception();
    return false;
  }
}

}  // namespace

void write_table(std::span<const arrow_plugin::OutputColumn> columns, Size rows, bool parquet,
                 const std::function<void(std::string_view)>& take) {
  if (!the_plugin().why.empty()) throw Error(ErrorCode::unsupported, the_plugin().why);
  Taker taker{take};
  const char* const why = the_plugin().write(columns.data(), static_cast<int64_t>(columns.size()),
                                             static_cast<int64_t>(rows), parquet, push, &taker);
  if (taker.thrown) std::rethrow_exception(taker.thrown);
  if (why == nullptr) return;
  throw Error(ErrorCode::unsupported, std::string("Arrow cannot write the answers: ") + why);
}

}  // namespace onefold::io::arrow
