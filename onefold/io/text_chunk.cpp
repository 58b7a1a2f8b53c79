#include "onefold/io/text_chunk.hpp"

#include <cmath>
#include <utility>

#include "onefold/io/quick_number.hpp"
#include "onefold/io/quick_token.hpp"

namespace onefold::io {
namespace {

// Marks a token that the fast parser did not read, so that it does not count as a short decimal.
constexpr Spelt unread{1, int64_t{1} << 60};

// 4096 f64 take 32 KiB, and stay in the L1 cache until they are folded.
constexpr Size batch = 4096;

#include "onefold/io/read_quickly.inl"
namespace any_number {
#include "onefold/io/text_parse.inl"
}  // namespace any_number
#ifdef ONEFOLD_QUICK_TOKEN
ONEFOLD_QUICK_TOKEN_BEGIN
namespace short_numbers {
#include "onefold/io/text_parse.inl"
}  // namespace short_numbers
ONEFOLD_QUICK_TOKEN_END
#endif

}  // namespace

bool has_points(const char* begin, const char* end) {
  constexpr std::ptrdiff_t sample = 1024;
  if (end - begin > sample) end = begin + sample;
  int points = 0, others = 0;
  for (const char* p = begin; p != end;) {
    const char* const token = p;
    bool pointed = false;
    for (; p != end && !is_separator(*p); ++p) pointed |= *p == '.';
    if (p != token) ++(pointed && p - token < 16 ? points : others);
    if (p != end) ++p;
  }
  return points > others;
}

void LineCounts::add(const LineCounts& next) {
  numbers += next.numbers;
  line_ends += next.line_ends;
  if (!next.ended) {
    tail += next.tail;
    tail_bytes += next.tail_bytes;
    return;
  }
  if (ended) {
    lines.add(tail + next.head);
  } else {
    head = tail + next.head;
    ended = true;
  }
  lines.add(next.lines);
  tail = next.tail;
  tail_bytes = next.tail_bytes;
}

Lines LineCounts::all() const {
  Lines all;
  if (ended) all.add(head);
  all.add(lines);
  all.add(tail);
  return all;
}

ParsedChunk parse_chunk(DType t, const char* begin, const char* end, LineState state,
                        Integers integers, bool last, NumberSink sink, void* context, bool plain,
                        decimal::Bins* bins) {
#ifdef ONEFOLD_QUICK_TOKEN
  const bool quick = __builtin_cpu_supports("sse4.1") != 0;
  if (quick && !plain && bins == nullptr && has_points(begin, end)) {
    if (t == DType::f64) {
      return short_numbers::parse<double>(begin, end, state, integers, last, sink, context);
    }
    if (t == DType::f32) {
      return short_numbers::parse<float>(begin, end, state, integers, last, sink, context);
    }
  }
#endif
  static_cast<void>(plain);
  if (bins != nullptr) {
    return any_number::parse<double, true>(begin, end, state, integers, last, sink, context, bins);
  }
  return visit(t, [&]<class T>() {
    return any_number::parse<T>(begin, end, state, integers, last, sink, context);
  });
}

}  // namespace onefold::io
