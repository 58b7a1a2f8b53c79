#include "lab/plan.hpp"

#include <algorithm>
#include <bit>

namespace onefold::lab {
namespace {

Size divide_up(Size a, Size b) { return (a + b - 1) / b; }

double steps_of(Size block) { return static_cast<double>(std::bit_width(block)); }

}  // namespace

Plan plan(const Rung& r, Size n, unsigned block, Size chosen) {
  const Grid how = r.grid;
  const bool in_place = r.in_place;
  Plan p;
  p.block = r.fixed_block != 0 ? r.fixed_block : block;
  p.exact = r.exact;
  p.shared_elements = std::size_t{r.shared_a_thread} * p.block;
  const auto covering = [&](Size m) { return divide_up(m, Size{p.block} * r.a_thread); };
  const Size grid = how == Grid::cover       ? covering(n)
                    : how == Grid::published ? divide_up(n, p.block) / r.a_thread
                    : how == Grid::one       ? 1
                                             : std::max<Size>(chosen, 1);
  const double a_block = steps_of(p.block) + static_cast<double>(r.a_thread);
  const double a_stride = steps_of(p.block) + static_cast<double>(n / (grid * p.block + 1) + 1);
  switch (r.flow) {
    case Flow::partials:
      if (grid != 0) p.steps.push_back({.n = n, .grid = grid});
      p.first_size = p.answers = grid;
      p.roundings = a_block;
      break;
    case Flow::levels: {
      Buffer from = Buffer::input;
      p.first_size = covering(n);
      p.second_size = covering(p.first_size);
      Size m = n;
      while (m > 1 || (m == 1 && p.steps.empty())) {
        const Buffer to = in_place ? from : from == Buffer::first ? Buffer::second : Buffer::first;
        p.steps.push_back({.x = from, .y = to, .n = m, .grid = covering(m)});
        from = to;
        m = covering(m);
        p.roundings += a_block;
      }
      p.answer = from;
      p.answers = std::min<Size>(n, 1);
      break;
    }
    case Flow::two_pass: {
      const Buffer to = in_place ? Buffer::input : Buffer::first;
      const Buffer last = in_place ? Buffer::input : Buffer::second;
      p.steps.push_back({.x = Buffer::input, .y = to, .n = n, .grid = grid});
      p.steps.push_back({.x = to, .y = last, .n = grid, .grid = 1});
      p.first_size = grid;
      p.second_size = 1;
      p.answer = last;
      p.answers = in_place ? std::min<Size>(n, 1) : 1;  // an empty input has no room for an answer
      p.roundings = 2 * a_stride + static_cast<double>(grid / p.block + 1);
      break;
    }
    case Flow::one_launch:
    case Flow::cooperative:
      p.steps.push_back({.n = n, .grid = grid, .cooperative = r.flow == Flow::cooperative});
      p.first_size = grid + 1;
      if (r.exact) p.ticket_size = 10;  // also for the limbs of a sum
      p.roundings = 2 * a_stride + static_cast<double>(grid / p.block + 1);
      break;
    case Flow::atomic:
      p.steps.push_back({.n = n, .grid = grid});
      p.first_size = 1;
      p.first_zeroed = true;
      p.roundings = a_stride + static_cast<double>(grid);
      break;
    case Flow::pairs:
      for (Size step = 1; step < n; step *= 2) {
        const Size threads = divide_up(n, 2 * step);
        p.steps.push_back(
            {.y = Buffer::input, .n = n, .step = step, .grid = divide_up(threads, p.block)});
      }
      p.answer = Buffer::input;
      p.answers = std::min<Size>(n, 1);
      p.roundings = static_cast<double>(p.steps.size());
      break;
    case Flow::library:
      p.first_size = 1;
      p.answers = std::min<Size>(n, 1);
      // CUB's threads add at most n / 2^14 elements one by one, and then as trees.
      p.roundings = static_cast<double>(n >> 14) + 64;
      break;
    case Flow::host:
      p.answers = 0;
      p.roundings = static_cast<double>(n);
      break;
  }
  return p;
}

}  // namespace onefold::lab
