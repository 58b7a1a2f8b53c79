// Folds one array whose parts lie in different memories: on several devices, or on the host.
//
//   const onefold::Part parts[] = {{a}, {b}};       // a.device and b.device say where they lie
//   onefold::State all = onefold::gather_parts("mean,argmax", parts);
//   double mean = all.answer("mean").as<double>();
#pragma once

#include <optional>

#include "onefold/states.hpp"

namespace onefold {

struct Part {
  ArrayRef x;
  std::optional<Size> first = {};  // index of its first element; default: where the last part ends
  void* stream = nullptr;          // a stream of the part's device
};

// Gathers each part on its own device, all at the same time, and merges the states. The result has
// the bits that one array gives.
//   options  as for gather, and for all parts; .device, .stream and .first come from the parts
//   throws   what gather and State::merge throw, naming the part; bad_option: no parts. Parts that
//            overlap by their .first are found only if an op answers with an index
State gather_parts(std::string_view ops, std::span<const Part> parts, const Options& options = {});

// Does the same for states of all slices, if the parts are rows of one array and options.axes
// contains its first axis.
//   throws  what gather_states and States::merge throw; bad_option: the first axis is kept, since
//           each part would then have its own answers
States gather_states_of_parts(std::string_view ops, std::span<const Part> parts,
                              const Options& options);

}  // namespace onefold
