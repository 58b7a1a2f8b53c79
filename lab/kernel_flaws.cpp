#include "lab/kernel_flaws.hpp"

#include <fmt/format.h>

namespace onefold::lab {
namespace {

std::string place_of(const sim::Site& s) {
  const std::string_view file(s.file);
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), s.line);
}

class Teller {
 public:
  Teller(const KernelOptions& o, const ptx::Program& p) : options_(o), program_(p) {}

  std::string sentence(const sim::Flaw& f) const {
    const std::string at = place_of(f.at);
    const auto first = [&](std::size_t k) { return k < f.threads.size() ? f.threads[k] : 0; };
    switch (f.kind) {
      case sim::FlawKind::race: {
        const std::string other =
            f.other_block == f.block
                ? fmt::format("threads {} and {} of block {}", first(1), first(0), f.block)
                : fmt::format("thread {} of block {} and thread {} of block {}", first(1),
                              f.other_block, first(0), f.block);
        return fmt::format("race: {} and {} touch {} with nothing between them: {}",
                           place_of(f.other), at, element(f), other);
      }
      case sim::FlawKind::barrier_not_reached:
        if (f.threads.empty()) {
          return fmt::format("barrier_not_reached: {}: others of block {} wait at another barrier",
                             at, f.block);
        }
        return fmt::format("barrier_not_reached: {}: {} never come to this barrier in block {}", at,
                           threads(f), f.block);
      case sim::FlawKind::absent_lane:
        return fmt::format("absent_lane: {}: {} of block {} are named and not there", at,
                           threads(f), f.block);
      case sim::FlawKind::uninitialised:
        return fmt::format(
            "uninitialised: {}: {} is read and nobody has written it: thread {} of "
            "block {}",
            at, element(f), first(0), f.block);
      case sim::FlawKind::out_of_bounds:
        return fmt::format(
            "out_of_bounds: {}: {} is outside, or not aligned: thread {} of block {}", at,
            element(f), first(0), f.block);
      case sim::FlawKind::no_progress: {
        if (*f.space == '\0') {
          return fmt::format(
              "no_progress: {}: the budget of {} steps is used up: thread {} of "
              "block {}",
              at, options_.budget, first(0), f.block);
        }
        std::string by = ", which nobody writes";
        if (f.other.line != 0) {
          by = fmt::format(", last written at {} by thread {} of block {}", place_of(f.other),
                           first(1), f.other_block);
        }
        return fmt::format("no_progress: {}: thread {} of block {} waits for {}{}", at, first(0),
                           f.block, element(f), by);
      }
      case sim::FlawKind::dirty_ticket:
      case sim::FlawKind::wrong_result:
        break;
    }
    return fmt::format("{}: {}", name_of(f.kind), at);
  }

 private:
  static std::string threads(const sim::Flaw& f) {
    std::string s = f.threads.size() == 1 ? "thread" : "threads";
    for (std::size_t k = 0; k < std::min<std::size_t>(f.threads.size(), 4); ++k) {
      s += fmt::format("{}{}", k == 0 ? " " : ", ", f.threads[k]);
    }
    if (f.threads.size() > 4) s += fmt::format(" and {} more", f.threads.size() - 4);
    return s;
  }
  std::string element(const sim::Flaw& f) const {
    const std::string_view name(f.space);
    if (name == "shared") {
      const std::size_t offset = f.element * program_.grain(4);
      const auto [v, inside] = program_.shared_at(offset);
      if (v == nullptr) return fmt::format("shared memory at byte {}", offset);
      // Of bytes, as arrays of anything are declared, the element is a guess: a word.
      const std::size_t size = v->element > 1 || program_.grain(4) < 4 ? v->element : 4;
      return fmt::format("{}[{}]", ptx::variable_name(v->name), inside / size);
    }
    for (const KernelArgument& a : options_.arguments) {
      if (name != a.name || !a.is_array) continue;
      const unsigned g = program_.grain(bytes_of(a.dtype));
      const auto bytes = static_cast<int64_t>(f.element * g);
      return fmt::format("{}[{}]", name, bytes / int64_t{bytes_of(a.dtype)});
    }
    if (name == "no shared memory")
      return "shared memory, of which the launch has none (--shared),";
    if (name == "no array") return fmt::format("address {:#x}, which is in no array,", f.element);
    return fmt::format("{}[{}]", ptx::variable_name(std::string(name)), f.element);
  }

  const KernelOptions& options_;
  const ptx::Program& program_;
};

}  // namespace

std::string flaw_sentence(const sim::Flaw& f, const KernelOptions& o, const ptx::Program& program) {
  return Teller(o, program).sentence(f);
}

}  // namespace onefold::lab
