#include "onefold/io/arrow/loaded.hpp"

#include <type_traits>

#include "onefold/system/jit/loaded.hpp"

namespace onefold::io::arrow {

Plugin::Plugin() {
  const jit::LibraryHandle loaded = jit::load_plugin("ONEFOLD_ARROW_PLUGIN", "onefold_arrow.so");
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(loaded.find(name));
    if (function == nullptr) why = loaded.name + " has no function " + name;
  };
  find(open, "onefold_arrow_open");
  find(close, "onefold_arrow_close");
  find(size, "onefold_arrow_size");
  find(describe, "onefold_arrow_describe");
  find(rows_before, "onefold_arrow_rows_before");
  find(select, "onefold_arrow_select");
  find(next, "onefold_arrow_next");
  find(values, "onefold_arrow_values");
  find(texts, "onefold_arrow_texts");
  find(drop, "onefold_arrow_drop");
  find(write, "onefold_arrow_write");
  if (loaded) return;
  why = "onefold_arrow.so cannot be loaded (" + loaded.why +
        "); make plugins (for the program) and make python (for the package) build it, if pip can "
        "install pyarrow; CMake builds it if -DPython_EXECUTABLE names a Python with pyarrow; "
        "$ONEFOLD_ARROW_PLUGIN may name another copy";
}

const Plugin& the_plugin() {
  static const Plugin instance;
  return instance;
}

}  // namespace onefold::io::arrow
