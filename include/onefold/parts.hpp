// One array in parts that lie anywhere: on several devices, on the host.
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
  std::optional<Size> first = {};  // index of its first element; by default behind the part before
  void* stream = nullptr;          // of its device
};

// The state of all parts, each gathered where it lies, at once; the bits of one array.
//   options  as gather has them, for all parts; .device, .stream and .first are the parts' own
//   throws   what gather and State::merge do, naming the part; bad_option: no parts. Parts that
//            .first puts onto each other are seen where an op answers with an index, and only there
State gather_parts(std::string_view ops, std::span<const Part> parts, const Options& options = {});

// The states of all slices, where parts are rows of an array: its first axis is of options.axes.
//   throws  what gather_states and States::merge do; bad_option: the first axis is kept, for then
//           parts have answers of their own
States gather_states_of_parts(std::string_view ops, std::span<const Part> parts,
                              const Options& options);

}  // namespace onefold
