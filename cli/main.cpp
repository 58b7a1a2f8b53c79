// The program `onefold`. Everything that goes wrong arrives here as an Error and becomes one line
// on stderr and an exit status.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "cli/alias.hpp"
#include "cli/help.hpp"
#include "cli/option.hpp"
#include "cli/parse.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/system/file_window.hpp"
#include "onefold/system/new_file.hpp"
#include "onefold/system/terminal.hpp"
#include "onefold/tables/input_words.hpp"

namespace onefold::cli {
namespace {

// Returns whether a word is like "sum", or like "sum,meen" with at least one op.
bool names_an_op(const std::string& word) {
  const std::vector<std::string> names = comma_list(word);
  return std::any_of(names.begin(), names.end(), is_op);
}

// The verb's option of this name, or null.
const Option* option_of(const Verb& verb, std::string_view name) {
  for (const Option* one : verb.options) {
    if (one->name == name) return one;
  }
  return nullptr;
}

int run(int argc, char** argv) {
  CommandLine line = take_apart(argc, argv);
  Arguments arguments;
  arguments.command_line = argv;
  Writer out;
  for (const Given& given : line.given) {
    if (given.option == &option::help) arguments.help = true;
    if (given.option == &option::version) arguments.version = true;
  }
  if (arguments.version) {
    out.write("onefold " ONEFOLD_VERSION "\n");
    out.flush();
    return 0;
  }
  if (line.words.empty()) {
    if (!arguments.help) {
      throw Error(ErrorCode::bad_option,
                  "an op or a verb is missing; write onefold OP FILE or onefold describe FILE, or "
                  "see onefold --help");
    }
    const auto is_short = [](const char* word) { return std::string_view(word) == "-h"; };
    std::any_of(argv + 1, argv + argc, is_short) ? print_short_help(out) : print_help(out);
    out.flush();
    return 0;
  }

  // The first word is a verb, or a list of ops, which means the verb `fold`. It is never a file.
  std::string& first = line.words[0];
  const Verb* verb = find_verb(first);
  const bool ops = verb == nullptr;
  const std::string file = line.words.size() > 1 ? line.words[1] : "FILE";
  if (ops) first = own_names(first, file);
  if (ops && !names_an_op(first)) refuse_word(first, file);
  if (ops) verb = find_verb("fold");
  const auto is_mpi = [](const Given& given) { return given.option == &option::mpi; };
  arguments.mpi = std::any_of(line.given.begin(), line.given.end(), is_mpi);
  if (arguments.mpi && verb == find_verb("fold") && !arguments.help) verb = find_verb("mpi");
  if (arguments.help) {
    if (ops && is_op(first)) {
      print_help_of_op(out, first);
    } else {
      print_help(out, *verb);
    }
    out.flush();
    return 0;
  }
  for (const Given& given : line.given) {
    const std::string name = given.option->name;
    const Option* option = option_of(*verb, name);
    if (option == nullptr && verb == find_verb("mpi") && arguments.mpi) {
      throw Error(
          ErrorCode::bad_option,
          "--" + name + " cannot be used with --mpi; leave it out, or see onefold mpi --help");
    }
    if (option == nullptr) {
      throw Error(ErrorCode::bad_option, "--" + name + " does not apply to " + first +
                                             "; onefold " + first + " --help lists its options");
    }
    if (option->set == nullptr) {
      arguments.own[name] = given.value;
    } else {
      option->set(arguments, given.value);
    }
  }
  io::check_marks(arguments.input);
  arguments.input.guess = true;
  arguments.words.assign(line.words.begin() + (ops ? 0 : 1), line.words.end());
  if (!arguments.where.empty() && !io::names_mask(arguments.where)) {
    io::set_input(arguments.input, "where", arguments.where);
  } else if (!arguments.where.empty()) {
    arguments.mask = io::load_array(arguments.where);
    arguments.fold.where = arguments.mask.ref();
  }
  if (arguments.mpi && verb != find_verb("mpi")) {
    run_on_ranks(*verb, arguments);
  } else {
    verb->run(arguments);
  }
  return arguments.silent_status;
}

// A message with the command line's names of the library's options.
std::string as_options(std::string message) {
  for (const std::string_view name : {"weights", "fweights", "initial"}) {
    const std::string member = " ." + std::string(name) + " ";
    for (std::size_t at = 0; (at = message.find(member, at)) != std::string::npos;) {
      message.replace(at + 1, 1, "--");
    }
  }
  return message;
}

int fail(ErrorCode code, std::string_view message) {
  print_error(message);
  return exit_status(code);
}

}  // namespace
}  // namespace onefold::cli

int main(int argc, char** argv) {
  using namespace onefold;
  system::fill_closed_streams();
  system::install_signal_handlers();
  system::install_sigbus_guard();
  try {
    return cli::run(argc, argv);
  } catch (const cli::ClosedPipe& e) {
    return exit_status(e.code());
  } catch (const Error& e) {
    return cli::fail(e.code(), cli::as_options(e.what()));
  } catch (const std::bad_alloc&) {
    return cli::fail(ErrorCode::out_of_memory, "memory ran out");
  } catch (const std::length_error&) {
    return cli::fail(ErrorCode::out_of_memory, "the answer is too large for memory");
  } catch (const std::exception& e) {
    return cli::fail(ErrorCode::internal, std::string("a defect in onefold: ") + e.what());
  }
}
