// --device: where to fold (processor or GPUs).
#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "cli/option.hpp"

namespace onefold::cli::option {
namespace {

// Reads "1" or "0,2" as numbers of CUDA devices.
std::optional<Device> cuda_of(std::string_view list) {
  std::vector<int> numbers;
  for (const char *p = list.data(), *const end = p + list.size();; ++p) {
    const auto [stop, error] = std::from_chars(p, end, numbers.emplace_back());
    if (error != std::errc() || numbers.back() < 0) return {};
    if (stop == end) break;
    if (*stop != ',') return {};
    p = stop;
  }
  return cuda_devices(numbers);
}

std::optional<Device> device_of(std::string_view text) {
  if (text == "cpu") return onefold::cpu;
  if (text == "cuda") return cuda();
  if (text == "cuda:all") return cuda_all();
  if (text.starts_with("cuda:")) return cuda_of(text.substr(5));
  return {};
}

void set_device(Arguments& a, const std::string& value) {
  const std::optional<Device> d = device_of(value);
  if (!d) {
    throw Error(ErrorCode::bad_option, "--device \"" + value +
                                           "\" is not valid; choose one of cpu, cuda, cuda:1, " +
                                           "cuda:0,1, cuda:all");
  }
  a.fold.device = *d;
}

}  // namespace

const Option device{"device", "DEVICE", "where to compute: cpu, cuda, cuda:1, cuda:0,1 or cuda:all",
                    set_device};

}  // namespace onefold::cli::option
