// The plugin onefold_arrow.so, loaded when it is first needed.
#pragma once

#include <string>

#include "onefold/io/arrow/plugin.hpp"

namespace onefold::io::arrow {

namespace plugin = arrow_plugin;

struct Plugin {
  plugin::Open open = nullptr;
  plugin::Close close = nullptr;
  plugin::Size size = nullptr;
  plugin::Describe describe = nullptr;
  plugin::RowsBefore rows_before = nullptr;
  plugin::Select select = nullptr;
  plugin::Next next = nullptr;
  plugin::Values values = nullptr;
  plugin::Texts texts = nullptr;
  plugin::Drop drop = nullptr;
  plugin::Write write = nullptr;
  std::string why;  // why it cannot be used; empty: it can

  Plugin();
};

const Plugin& the_plugin();

}  // namespace onefold::io::arrow
