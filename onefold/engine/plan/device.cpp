#include "onefold/engine/plan/device.hpp"

#include "onefold/engine/plan/plan.hpp"
#include "onefold/error.hpp"

namespace onefold {
namespace {

std::string text_of(Device d) {
  if (d.type != Device::Type::cuda) return "cpu";
  if (d == cuda_all()) return "cuda:all";
  std::string list = d.several == 0 ? std::to_string(d.index) : "";
  for (int i = 0; i < 64; ++i) {
    if ((d.several >> i & 1) != 0) list += (list.empty() ? "" : ",") + std::to_string(i);
  }
  return "cuda:" + list;
}

// Chooses the device: the one that the caller names, or the one that holds the data.
Device device_of(const ArrayRef& x, const ArrayRef* y, const Options& options,
                 const std::string& where) {
  Device data = x.device;
  if (data.type == Device::Type::automatic && y != nullptr) data = y->device;
  if (y != nullptr && y->device.type != Device::Type::automatic && y->device != data) {
    throw Error(ErrorCode::bad_option, where + ": the arrays are on " + text_of(data) + " and on " +
                                           text_of(y->device) +
                                           "; copy one of them, so that both are on one device");
  }
  if (options.device.type == Device::Type::automatic) {
    return data.type == Device::Type::automatic ? cpu : data;
  }
  if (data.type == Device::Type::cuda && data != options.device) {
    throw Error(ErrorCode::bad_option, where + ": the data are on " + text_of(data) +
                                           ", but .device is " + text_of(options.device) +
                                           "; copy them there, or leave .device out");
  }
  return options.device;
}

// The mask must be in the same memory as the array: the host's, or that of the device that folds
// them.
void check_mask_device(const Plan& plan, const ArrayRef& x, const ArrayRef& mask,
                       const std::string& where) {
  if (mask.device.type != Device::Type::cuda) return;
  if (x.device.type == mask.device.type && mask.device == plan.device) return;
  throw Error(ErrorCode::bad_option,
              where + ": the mask is on " + text_of(mask.device) +
                  (x.device.type == mask.device.type ? " and the array on " + text_of(x.device)
                                                     : ", and no device was given for the array") +
                  "; copy one of them, so that both are in one place");
}

}  // namespace

void choose_device(Plan& plan, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  const std::string where = names_of(plan.ops);
  plan.device = device_of(x, y, options, where);
  plan.on_device = plan.device.type == Device::Type::cuda && x.device.type == plan.device.type;
  plan.stream = options.stream;
  plan.nccl = options.nccl;
  if (plan.nccl != nullptr && plan.device.type != Device::Type::cuda) {
    throw Error(ErrorCode::bad_option,
                where + ": .nccl needs arrays on a device, but this fold runs on the " +
                    "cpu; to merge states on the host, use onefold/nccl.hpp");
  }
  if (plan.nccl != nullptr && options.initial) {
    throw Error(ErrorCode::bad_option,
                where + ": .initial counts as one more element, but with .nccl every rank " +
                    "would add it; append it to the array of one rank instead");
  }
  if (plan.stream != nullptr && plan.device.type != Device::Type::cuda) {
    throw Error(ErrorCode::bad_option,
                where + ": .stream belongs to a device, and this fold runs on the " +
                    text_of(plan.device) + "; leave it out, or pass .device");
  }
  if (options.where) check_mask_device(plan, x, options.where->array, where);
}

}  // namespace onefold
