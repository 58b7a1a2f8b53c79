// Copies answers from a device to the host.
#pragma once

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

// Holds a plan's answers in device memory until they are copied to the host.
class DeviceAnswers {
 public:
  DeviceAnswers(Engine& engine, const Plan& plan)
      : engine_(engine), plan_(plan), memory_(engine.gpu(), bytes_of_all(plan)) {
    uint64_t at = memory_.address();
    for (const DType t : plan.results) {
      places.push_back({at, at + rounded(plan.answers * bytes_of(t))});
      at = places.back().status + rounded(plan.answers);
    }
  }
  void copy_out(std::span<const backend::Output> outputs) const {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Size n = plan_.answers;
      engine_.gpu().copy_out(outputs[k].data, places[k].value, n * bytes_of(plan_.results[k]));
      engine_.gpu().copy_out(outputs[k].status, places[k].status, n);
    }
  }
  std::vector<Destination> places;

 private:
  static Size rounded(Size bytes) { return (bytes + 255) / 256 * 256; }
  static Size bytes_of_all(const Plan& plan) {
    Size bytes = 0;
    for (const DType t : plan.results) {
      bytes += rounded(plan.answers * bytes_of(t)) + rounded(plan.answers);
    }
    return bytes;
  }
  Engine& engine_;
  const Plan& plan_;
  Piece memory_;
};

}  // namespace onefold::cuda_backend
