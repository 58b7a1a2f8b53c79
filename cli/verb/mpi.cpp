// onefold OP[,OP...] FILE... --mpi: the ranks of an mpirun gather a share each.
#include "jit/mpi.hpp"
#include "api/merge_ranks.hpp"
#include "cli/alias.hpp"
#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"
#include "file_fold/fold_files.hpp"

namespace onefold::cli {
namespace {

State gather_share(Arguments& arguments, const Request& request, const jit::MpiWorld& world) {
  arguments.input.share = io::Share{world.rank(), world.ranks()};
  return io::gather_files(request, input_files(arguments, 1), arguments.input, {});
}

// A rank that cannot gather still takes part, or the others would wait for ever.
void fold_on_ranks(Arguments& arguments, const jit::MpiWorld& world) {
  std::optional<Request> request;
  std::optional<Error> error;
  State mine;
  try {
    if (arguments.words.empty()) {
      throw Error(ErrorCode::bad_option, "fold needs an op: mpirun onefold sum FILE --mpi");
    }
    request.emplace(own_names(arguments.words[0]), arguments.fold);
    mine = gather_share(arguments, *request, world);
  } catch (const Error& e) {
    error = e;
  } catch (const std::bad_alloc&) {
    error = Error(ErrorCode::out_of_memory, "memory ran out");
  }
  const State all =
      merge_ranks(mine, error ? &*error : nullptr, world.ranks(),
                  [&](const std::vector<uint64_t>& words) { return world.gather(words); });
  // What looks like a terminal belongs to mpirun, which hands it on.
  const Style style{.json = arguments.json, .precision = arguments.precision};
  if (world.rank() == 0) print_answers_of(all, request->ops, arguments.fold, style);
}

void run(Arguments& arguments) {
  const jit::MpiWorld world;
  if (!world.why().empty()) throw Error(ErrorCode::no_backend, "--mpi: " + world.why());
  try {
    fold_on_ranks(arguments, world);
  } catch (const Error& e) {
    if (world.rank() == 0) throw;  // it says what all have met
    arguments.silent_status = exit_status(e.code());
  }
}

constexpr const Option* options[] = {
    &option::mpi,     &option::nan,       &option::ddof,      &option::correction,
    &option::result,  &option::dtype,     &option::shape,     &option::offset,
    &option::format,  &option::header,    &option::columns,   &option::delimiter,
    &option::missing, &option::decimal,   &option::thousands, &option::files_from,
    &option::json,    &option::precision, &option::threads,   &option::target,
    &option::help,    &option::version};

}  // namespace

const Verb mpi_verb{.name = "mpi",
                    .usage = "mpi OP[,OP...] FILE...",
                    .idea = "The same as OP FILE --mpi: the ranks of an mpirun fold a share each.",
                    .options = options,
                    .examples =
                        "mpirun -n 8 onefold mean,var --mpi huge.npy\n"
                        "srun onefold sum --mpi --json day*.npy",
                    .run = run};

}  // namespace onefold::cli
