#include "info.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "onefold/fold.hpp"
#include "onefold/io/readable.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/parallel.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

nb::dict info() {
  nb::dict facts;
  facts["version"] = ONEFOLD_VERSION;
  nb::list targets, dtypes, ops, devices;
  for (const std::string_view t : cpu_targets()) targets.append(nb::str(t.data(), t.size()));
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) dtypes.append(spelling);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  for (const std::string_view op : op_names()) ops.append(nb::str(op.data(), op.size()));
  devices.append("cpu");
  const jit::Driver& driver = jit::Driver::get();
  for (int i = 0; i < driver.devices(); ++i) {
    devices.append(nb::str(("cuda:" + std::to_string(i)).c_str()));
  }
  facts["instruction_sets"] = targets;
  facts["threads"] = ::onefold::default_threads();
  facts["default_threads"] = default_threads.load();  // 0: as many as there are cores
  facts["thread_library"] = thread_library();
  facts["devices"] = devices;
  facts["cuda"] = driver.usable() ? "usable" : driver.why().c_str();
  facts["nvrtc"] = nb::none();
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  if (nvrtc.usable()) facts["nvrtc"] = nb::make_tuple(nvrtc.major(), nvrtc.minor());
  facts["ops"] = ops;
  facts["dtypes"] = dtypes;
  const io::Readable readable = io::readable_here();
  nb::list formats, codecs;
  nb::dict unreadable;
  for (const std::string& name : readable.formats) formats.append(name);
  for (const std::string& name : readable.codecs) codecs.append(name);
  for (const io::Lack& lack : readable.lacks) unreadable[nb::str(lack.what.c_str())] = lack.why;
  facts["formats"] = formats;
  facts["codecs"] = codecs;
  facts["unreadable"] = unreadable;
  return facts;
}

}  // namespace

void add_info(nb::module_& m) {
  m.def("info", info);
  m.def("available_memory", system::available_memory);
}

}  // namespace onefold::python
