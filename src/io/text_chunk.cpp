#include "io/text_chunk.hpp"

#include <cmath>

#include "io/quick_number.hpp"

namespace onefold::io {
namespace {

// 4096 f64 are 32 KiB: they stay in L1 until they are folded.
constexpr Size batch = 4096;

template <class T>
NumberError read_number(const char* p, const char* end, bool exact, T& value, const char*& stop) {
  if constexpr (dtype_of<T> == DType::f64) {
    // Below 2^53 every integer is exact; 2^53 + 1 becomes 2^53.
    if (quick_number(p, value, stop) && (!exact || std::fabs(value) < 0x1p53)) {
      return NumberError::none;
    }
  } else if constexpr (dtype_of<T> == DType::f32) {
    if (quick_number(p, value, stop)) return NumberError::none;
  }
  return parse_number(p, end, exact, value, stop);
}

template <class T>
ParsedChunk parse(const char* const begin, const char* const end, LineState state, bool exact,
                  bool last, NumberSink sink, void* context) {
  ParsedChunk out;
  LineCounts& seen = out.lines;
  T values[batch];
  Size held = 0, columns = 0;
  const char* line = begin;
  const char* p = begin;
  const auto problem = [&](ErrorCode code, const char* at, std::string what) {
    out.problem = TextProblem{code, static_cast<Size>(at - begin), std::move(what)};
  };
  const auto empty_field = [&](const char* at) {
    problem(ErrorCode::bad_token, at, "an empty field; there must be a number beside each comma");
  };
  for (; p != end; ++p) {
    const char c = *p;
    if (c == '\n') {
      if (state == LineState::after_comma) {
        empty_field(p);
        break;
      }
      if (seen.ended) {
        seen.lines.add(columns);
      } else {
        seen.head = columns;
        seen.ended = true;
      }
      ++seen.line_ends;
      columns = 0;
      state = LineState::start;
      line = p + 1;
      continue;
    }
    if (c == ',') {
      if (state != LineState::after_token) {
        empty_field(p);
        break;
      }
      state = LineState::after_comma;
      continue;
    }
    if (is_separator(c)) continue;
    const char* stop = p;
    const NumberError e = read_number(p, end, exact, values[held], stop);
    if (e != NumberError::none) {
      problem(e == NumberError::beyond || e == NumberError::inexact ? ErrorCode::out_of_range
                                                                    : ErrorCode::bad_token,
              p, explain(e, {p, stop}, dtype_of<T>));
      break;
    }
    ++columns;
    state = LineState::after_token;
    if (++held == batch) {
      sink(context, values, held);
      seen.numbers += held;
      held = 0;
    }
    p = stop - 1;  // the separator, or what stands before the end
  }
  if (last && state == LineState::after_comma && !out.problem) empty_field(end);
  if (held > 0) sink(context, values, held);
  seen.numbers += held;
  seen.tail = columns;
  seen.tail_bytes = static_cast<Size>(p - line);
  return out;
}

}  // namespace

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

ParsedChunk parse_chunk(DType t, const char* begin, const char* end, LineState state, bool exact,
                        bool last, NumberSink sink, void* context) {
  return visit(t,
               [&]<class T>() { return parse<T>(begin, end, state, exact, last, sink, context); });
}

}  // namespace onefold::io
